// Operations of this program as somebody else would state them: buffers, and a reference in text.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/verify/manifest.hpp"

namespace assay::oracle::testing {

struct StatedText {
  std::string buffers, reference, output;
  std::map<std::string, Requirement> requirements =
      {};                                 ///< so that arrays of the reference hold what is drawn
  std::vector<std::string> without = {};  ///< regimes whose values the text does not state
};

inline constexpr const char* kWeightDimensions =
    "{ name = \"K\", reduced = true }, \"N\", { name = \"group_size\", multiple = 8, largest = 4096 }";

/// The weight at (k, n) of a packed format, before its last rounding.
inline std::string packed_weight(std::string_view operation, bool float_chain) {
  const std::string kernel =
      "  const Index group = k / group_size;\n  const unsigned code = B(k / 8, n) >> 4 * (k % 8) & 15;\n";
  if (operation.ends_with("fp4")) {
    return "Number weight(Index k, Index n) {\n"
           "  static constexpr double levels[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};\n" +
           kernel +
           "  const double level = levels[code & 7];\n"
           "  return Number(code < 8 ? level : -level) * scales(group, n);\n}\n";
  }
  const bool is_signed = operation.ends_with("s4");
  const std::string from = !is_signed    ? "Number(code) - zeros(group, n)"
                           : float_chain ? "Number(Index(code) - 8) - zeros(group, n)"
                                         : "Number(code) - stored<half>(8 + zeros(group, n))";
  return "Number weight(Index k, Index n) {\n" + kernel +
         fmt::format("  return stored<{}>({}) * scales(group, n);\n}}\n", float_chain ? "single" : "half",
                     from);
}

inline std::string packed_buffers(std::string_view operation) {
  std::string text =
      "  { name = \"B\", type = \"uint\", shape = [\"ceil(K/8)\", \"N\"] },\n"
      "  { name = \"scales\", type = \"half\", shape = [\"ceil(K/group_size)\", \"N\"] },\n";
  if (!operation.ends_with("fp4"))
    text += "  { name = \"zeros\", type = \"half\", shape = [\"ceil(K/group_size)\", \"N\"] },\n";
  return text;
}

inline StatedText dequantized(std::string_view operation, bool float_chain) {
  return {fmt::format(
              "dimensions = [{}]\ntensors = [\n{}  {{ name = \"W\", type = \"half\", shape = [\"K\", \"N\"], "
              "access = \"out\" }},\n]\n",
              kWeightDimensions, packed_buffers(operation)),
          packed_weight(operation, float_chain) +
              "void reference() {\n  for (Index k = 0; k < K; ++k)\n"
              "    for (Index n = 0; n < N; ++n) W(k, n) = stored<half>(weight(k, n));\n}\n",
          "W"};
}

constexpr const char* kProduct =
    "void reference() {\n  for (Index n = 0; n < N; ++n)\n    for (Index m = 0; m < M; ++m)\n"
    "      C(m, n) = sum(K, [&](Index k) { return A(m, k) * stored<half>(weight(k, n)); });\n}\n";
constexpr const char* kProductBuffers =
    "  { name = \"A\", type = \"half\", shape = [\"M\", \"K\"] },\n"
    "  { name = \"C\", type = \"half\", shape = [\"M\", \"N\"], access = \"out\" },\n";

inline StatedText product(std::string_view operation, bool float_chain) {
  return {fmt::format("dimensions = [\"M\", {}]\ntensors = [\n{}{}]\n", kWeightDimensions, kProductBuffers,
                      packed_buffers(operation)),
          packed_weight(operation, float_chain) + kProduct, "C"};
}

/// Trellis weights of one matrix; `prefix` is "gate_" or nothing, `first` ahead of all indices.
inline std::string trellis_weight(const std::string& prefix, const std::string& first) {
  return fmt::format(
      "Number {0}weight({1}Index k, Index n) {{\n"
      "  const Index bit = (k % 16 * 16 + n % 16) * bits;\n"
      "  const unsigned low = {0}packed_indices({2}k / 16, n / 16, bit / 8);\n"
      "  const unsigned high = bit % 8 + bits > 8 ? {0}packed_indices({2}k / 16, n / 16, bit / 8 + 1) : 0;\n"
      "  Index index = (low | high << 8) >> bit % 8 & ((1 << bits) - 1);\n"
      "  if (index >= n_levels) index = 0;\n"
      "  const Number scaled = stored<single>({0}grid({2}index) * {0}scales({2}k / group_size, n));\n"
      "  return stored<half>(stored<single>(stored<single>(scaled * {0}su({2}k)) * {0}sv({2}n)));\n}}\n",
      prefix, first.empty() ? "" : "Index " + first + ", ", first.empty() ? "" : first + ", ");
}

inline std::string trellis_buffers(const std::string& prefix, const std::string& first,
                                   const std::string& rows, const std::string& columns) {
  const std::string ahead = first.empty() ? "" : "\"" + first + "\", ";
  return fmt::format(
      "  {{ name = \"{0}packed_indices\", type = \"uchar\", shape = [{1}\"ceil({2}/16)\", \"ceil({3}/16)\", "
      "\"32*bits\"] "
      "}},\n"
      "  {{ name = \"{0}scales\", type = \"float\", shape = [{1}\"ceil({2}/group_size)\", \"{3}\"] }},\n"
      "  {{ name = \"{0}grid\", type = \"float\", shape = [{1}\"n_levels\"] }},\n"
      "  {{ name = \"{0}su\", type = \"float\", shape = [{1}\"{2}\"] }},\n"
      "  {{ name = \"{0}sv\", type = \"float\", shape = [{1}\"{3}\"] }},\n",
      prefix, ahead, rows, columns);
}

inline const std::string kTrellisDimensions =
    std::string(kWeightDimensions) +
    ", { name = \"bits\", values = [2, 3, 4] }, { name = \"n_levels\", largest = 16 }";

inline StatedText dequantized_trellis() {
  return {fmt::format(
              "dimensions = [{}]\ntensors = [\n{}  {{ name = \"W\", type = \"half\", shape = [\"K\", \"N\"], "
              "access = \"out\" }},\n]\n",
              kTrellisDimensions, trellis_buffers("", "", "K", "N")),
          trellis_weight("", "") +
              "void reference() {\n  for (Index k = 0; k < K; ++k)\n"
              "    for (Index n = 0; n < N; ++n) W(k, n) = weight(k, n);\n}\n",
          "W"};
}

inline StatedText trellis_product() {
  return {fmt::format("dimensions = [\"M\", {}]\ntensors = [\n{}{}]\n", kTrellisDimensions, kProductBuffers,
                      trellis_buffers("", "", "K", "N")),
          trellis_weight("", "") + kProduct, "C"};
}

inline StatedText experts() {
  const std::string dims =
      "\"M\", { name = \"intermediate\", reduced = true }, \"num_experts\", \"top_k\", " + kTrellisDimensions;
  StatedText text;
  text.buffers = "dimensions = [" + dims + "]\ntensors = [\n" +
                 "  { name = \"x\", type = \"half\", shape = [\"M\", \"K\"] },\n"
                 "  { name = \"expert_ids\", type = \"uint\", shape = [\"M\", \"top_k\"] },\n"
                 "  { name = \"expert_probs\", type = \"float\", shape = [\"M\", \"top_k\"] },\n" +
                 trellis_buffers("gate_", "num_experts", "K", "intermediate") +
                 trellis_buffers("up_", "num_experts", "K", "intermediate") +
                 trellis_buffers("down_", "num_experts", "intermediate", "N") +
                 "  { name = \"out\", type = \"half\", shape = [\"M\", \"N\"], access = \"out\" },\n]\n";
  text.reference =
      trellis_weight("gate_", "e") + trellis_weight("up_", "e") + trellis_weight("down_", "e") +
      "void reference() {\n"
      "  Number hidden[16][512];\n"
      "  for (Index m = 0; m < M; ++m) {\n"
      "    for (Index s = 0; s < top_k; ++s) {\n"
      "      const Index e = expert_ids(m, s);\n"
      "      for (Index j = 0; e < num_experts && j < intermediate; ++j) {\n"
      "        const Number gate = sum(K, [&](Index k) { return x(m, k) * gate_weight(e, k, j); "
      "}).closed();\n"
      "        const Number up = sum(K, [&](Index k) { return x(m, k) * up_weight(e, k, j); });\n"
      "        hidden[s][j] = stored<half>(gate / (1 + exp(-gate)) * up);\n"
      "      }\n    }\n"
      "    for (Index n = 0; n < N; ++n) {\n"
      "      Number all = 0;\n"
      "      for (Index s = 0; s < top_k; ++s) {\n"
      "        const Index e = expert_ids(m, s);\n"
      "        if (e >= num_experts) continue;\n"
      "        all += expert_probs(m, s) * sum(intermediate, [&](Index j) {\n"
      "          return hidden[s][j] * down_weight(e, j, n); });\n"
      "      }\n"
      "      out(m, n) = all;\n    }\n  }\n}\n";
  text.output = "out";
  text.requirements["intermediate"].max = 512;
  text.requirements["top_k"].max = 16;
  return text;
}

inline StatedText rans_product() {
  StatedText text;
  text.buffers =
      "dimensions = [\"M\", { name = \"N\", reduced = true }, \"streams\", { name = \"data_bytes\", largest "
      "= 4194304 }]\n"
      "tensors = [\n"
      "  { name = \"freq\", type = \"ushort\", shape = [\"M\", 16] },\n"
      "  { name = \"stream_offset\", type = \"uint\", shape = [\"M\", \"streams\"] },\n"
      "  { name = \"n_symbols\", type = \"uint\", shape = [\"M\"] },\n"
      "  { name = \"checksums\", type = \"uint\", shape = [\"M\", \"streams\"] },\n"
      "  { name = \"data\", type = \"uchar\", shape = [\"data_bytes\"] },\n"
      "  { name = \"scale\", type = \"float\", shape = [1] },\n"
      "  { name = \"zero_point\", type = \"float\", shape = [1] },\n"
      "  { name = \"x\", type = \"float\", shape = [\"N\"] },\n"
      "  { name = \"y\", type = \"float\", shape = [\"M\"], access = \"out\" },\n"
      "  { name = \"status\", type = \"uint\", shape = [\"M\"], access = \"out\" },\n]\n";
  text.reference =
      "void reference() {\n  for (Index m = 0; m < M; ++m) {\n"
      "    unsigned state[32];\n    Index next[32];\n"
      "    for (Index s = 0; s < streams; ++s) {\n"
      "      next[s] = stream_offset(m, s);\n      state[s] = 0;\n"
      "      for (int b = 0; b < 4; ++b) state[s] |= unsigned(data(next[s]++)) << 8 * b;\n    }\n"
      "    Number total;\n"
      "    for (Index n = 0; n < N; ++n) {\n"
      "      unsigned& now = state[n % streams];\n"
      "      const unsigned slot = now % 4096;\n"
      "      unsigned symbol = 0, below = 0;\n"
      "      while (below + freq(m, symbol) <= slot) below += freq(m, symbol++);\n"
      "      now = freq(m, symbol) * (now / 4096) + slot - below;\n"
      "      while (now < 1u << 23) now = now << 8 | data(next[n % streams]++);\n"
      "      total += stored<single>(symbol * scale(0) + zero_point(0)) * x(n);\n    }\n"
      "    y(m) = total;\n    status(m) = 0;\n  }\n}\n";
  text.output = "y";
  text.without = {"damaged"};
  return text;
}

}  // namespace assay::oracle::testing
