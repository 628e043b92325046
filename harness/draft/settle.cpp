#include "harness/draft/settle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/draft/doubt.hpp"

namespace assay::draft {
namespace {

/// What a buffer or a texture holds at first, and what was told of its access.
DraftBuffer settled(DraftBuffer buffer, const ToldBuffer& told, const MeasuredBuffer* measured, bool writable,
                    bool atomic, Draft& draft) {
  const bool whole = buffer.type != "half" && buffer.type != "float" && buffer.type != "bfloat";
  if (buffer.access == "inout" && (atomic || whole)) buffer.values = "\"zeros\"";
  if (buffer.access == "in" && whole && buffer.type != "bool" &&
      (measured == nullptr || measured->is_index || writable))
    buffer.values = "\"zeros\"";
  if (buffer.access == "in" && measured != nullptr && measured->is_index && !told.values) {
    const auto option = fmt::format("{} {}", buffer.option(), buffer.name);
    if (measured->is_size) {
      if (whole) buffer.values = "\"ones\"";
      doubt(draft, Doubt::Of::sizes, buffer.name,
            fmt::format("{} is filled with {}, and its values decide how much else the kernel touches: say "
                        "what it holds, such as {}=:64",
                        buffer.name, whole ? "ones" : "numbers around 1", option));
    } else {
      doubt(
          draft, Doubt::Of::indices, buffer.name,
          fmt::format("{} is filled with zeros, because its values decide what else the kernel touches; say "
                      "its range, such as {}=:{}",
                      buffer.name, option,
                      draft.dimensions.empty() ? "0..1" : "below=" + draft.dimensions.front().name));
    }
  }
  if (told.access) {
    buffer.access = *told.access;
    buffer.access_told = true;
    if (buffer.access == "out") buffer.values.clear();
  } else if (writable) {
    draft.guesses.push_back(
        fmt::format("{0} is {2}; change it with {1} {0}=:in, :out or :inout", buffer.name, buffer.option(),
                    buffer.access == "out"  ? "only stored to"
                    : buffer.access == "in" ? "only loaded"
                    : measured != nullptr && measured->is_partial && !measured->loaded
                        ? "stored to in part, as inputs say"
                    : measured != nullptr && !measured->loaded && measured->stored ? "stored to in part"
                                                                                   : "loaded and stored to"));
  }
  if (told.values) buffer.values = *told.values;
  return buffer;
}

void settle_shape(const Parameter& one, const ToldBuffer& told, const MeasuredBuffer* measured, Draft& draft,
                  DraftBuffer& buffer) {
  if (told.shape) {
    buffer.shape = *told.shape;
    buffer.shape_told = true;
    return;
  }
  if (measured != nullptr && measured->known && measured->touched) {
    buffer.shape = measured->shape;
    return;
  }
  if (measured != nullptr && !measured->touched) {
    buffer.shape = {"1"};
    buffer.question = "the kernel did not touch it, so its shape is not known";
    if (!one.element.inner.empty())
      buffer.shape = {std::to_string(one.element.size / std::max<std::size_t>(one.element.type_bytes, 1))};
  } else {
    // As large as all dimensions allow: too large rather than too small.
    for (const auto& dimension : draft.dimensions) buffer.shape.push_back(dimension.name);
    if (buffer.shape.size() > 3) buffer.shape.resize(3);
    if (buffer.shape.empty()) buffer.shape = {"1"};
    buffer.question = "Assay could not find how its size follows from the dimensions";
  }
  doubt(draft, Doubt::Of::unknown_sizes, one.name,
        fmt::format("{0}: {1}; say its shape with --buffer {0}={2}[SIZES], such as '{0}={2}[{3}]'", one.name,
                    buffer.question, buffer.type, fmt::join(buffer.shape, ",")));
}

}  // namespace

DraftBuffer settled_buffer(const Parameter& one, const std::string& type, const ToldBuffer& told,
                           const MeasuredBuffer* measured, Draft& draft) {
  DraftBuffer buffer;
  buffer.name = one.name;
  buffer.type = type;
  settle_shape(one, told, measured, draft, buffer);
  buffer.access = "in";
  if (one.writable && !one.element.atomic && measured != nullptr) {
    const bool out = measured->stored && !measured->loaded && !measured->is_partial;
    buffer.access = out ? "out" : measured->stored ? "inout" : "in";
    // Something other than loads and stores touched it.
    if (measured->touched && !measured->stored && !measured->loaded) buffer.access = "inout";
  } else if (one.writable) {
    buffer.access = "inout";
  }
  return settled(std::move(buffer), told, measured, one.writable, one.element.atomic, draft);
}

DraftBuffer settled_texture(const TextureGuess& one, const ToldBuffer& told, const MeasuredBuffer* measured,
                            Draft& draft) {
  DraftBuffer texture;
  texture.texture = true;
  texture.name = one.tensor;
  texture.type = type_of_channels(one.format);
  texture.shape = one.extents;
  texture.shape_told = told.shape.has_value();
  const std::size_t channels = device::layout_of(one.format).channels;
  if (channels > 1) texture.shape.push_back(std::to_string(channels));
  texture.access = "in";
  const bool all = measured != nullptr && measured->filled && !measured->loaded;
  if (one.writes) texture.access = all ? "out" : "inout";
  if (one.writes && one.reads && measured != nullptr && !measured->stored) texture.access = "in";
  return settled(std::move(texture), told, measured, one.writes, false, draft);
}

}  // namespace assay::draft
