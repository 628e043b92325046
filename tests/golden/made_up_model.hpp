// Model files that nobody trained: names and sizes as models have them, weights of about normal distribution
// by seed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "properties/cases/draw.hpp"
#include "properties/cases/model_values.hpp"
#include "reference/half.hpp"

namespace assay::golden {

struct MadeUpTensor {
  std::string name;
  std::string dtype;  ///< "F32", "F16" or "BF16"; of any other type it has zeros, of 8 bytes each
  std::vector<std::size_t> shape;
};

/// The layers of a transformer: four matrices of attention and three of the feed-forward part each, as
/// [outputs, inputs], and two vectors.
inline std::vector<MadeUpTensor> made_up_layers(std::size_t layers, std::size_t hidden,
                                                std::size_t intermediate, const std::string& dtype) {
  std::vector<MadeUpTensor> all;
  for (std::size_t i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    all.push_back({layer + "input_layernorm.weight", dtype, {hidden}});
    for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
      const bool shared = name[0] == 'k' || name[0] == 'v';  // by four heads
      all.push_back(
          {layer + "self_attn." + name + ".weight", dtype, {shared ? (hidden + 3) / 4 : hidden, hidden}});
    }
    all.push_back({layer + "post_attention_layernorm.weight", dtype, {hidden}});
    for (const char* name : {"gate_proj", "up_proj"})
      all.push_back({layer + "mlp." + name + ".weight", dtype, {intermediate, hidden}});
    all.push_back({layer + "mlp.down_proj.weight", dtype, {hidden, intermediate}});
  }
  return all;
}

/// Element `index` of a tensor: a standard deviation of 0.02, and one in 4,096 eight times as large.
inline float made_up_weight(const properties::Draw& draw, std::uint64_t index) {
  const properties::Words words = draw.words(index);
  const double outlier = words[0] % 4096 == 0 ? 8 : 1;
  return static_cast<float>(0.02 * outlier * properties::bell(words));
}

/// Bits of a BF16: rounded to nearest, ties to even. The float must be finite.
inline std::uint16_t bf16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/// Writes the file piece by piece: models may be larger than memory.
inline void write_made_up_model(const std::filesystem::path& path, const std::vector<MadeUpTensor>& tensors,
                                std::uint64_t seed) {
  const auto element_of = [](const MadeUpTensor& one) -> std::size_t {
    return one.dtype == "F32" ? 4 : one.dtype == "F16" || one.dtype == "BF16" ? 2 : 8;
  };
  const auto count_of = [](const MadeUpTensor& one) {
    std::size_t count = 1;
    for (const std::size_t extent : one.shape) count *= extent;
    return count;
  };
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  std::size_t offset = 0;
  for (const MadeUpTensor& one : tensors) {
    const std::size_t end = offset + count_of(one) * element_of(one);
    header[one.name] = {{"dtype", one.dtype}, {"shape", one.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  const std::uint64_t length = text.size();
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << text;
  std::string piece;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (const MadeUpTensor& one : tensors) {
    const properties::Draw draw(seed, one.name);
    for (std::size_t i = 0; i < count_of(one); ++i) {
      const float weight = made_up_weight(draw, i);
      const auto put = [&](auto value) { piece.append(reinterpret_cast<const char*>(&value), sizeof value); };
      if (one.dtype == "F32") {
        put(weight);
      } else if (one.dtype == "F16") {
        put(reference::half_from_float(weight));
      } else if (one.dtype == "BF16") {
        put(bf16_from_float(weight));
      } else {
        put(std::uint64_t{0});
      }
      if (piece.size() < kPiece) continue;
      file << piece;
      piece.clear();
    }
    file << piece;
    piece.clear();
  }
}

}  // namespace assay::golden
