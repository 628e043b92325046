// Kernels of which nobody has written a manifest, as `assay check` is asked about them.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "tests/end_to_end/program.hpp"

namespace assay::end_to_end {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

inline constexpr const char* kRowSum =
    "kernel void row_sum(device const half* x [[buffer(0)]], device float* y [[buffer(1)]],\n"
    "    constant uint& N [[buffer(2)]], uint row [[threadgroup_position_in_grid]],\n"
    "    uint t [[thread_position_in_threadgroup]]) {\n"
    "  constexpr uint THREADS = 64;\n  threadgroup float part[THREADS];\n  float s = 0;\n"
    "  for (uint i = t; i < N; i += THREADS) s += float(x[row * N + i]);\n  part[t] = s;\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  for (uint d = 32; d > 0; d /= 2) {\n    if (t < d) part[t] += part[t + d];\n"
    "    threadgroup_barrier(mem_flags::mem_threadgroup);\n  }\n  if (t == 0) y[row] = part[0];\n}\n";

class Check : public testing::Test {
 protected:
  metal::ProcessResult check(const std::string& text, std::vector<std::string> more = {}) {
    const auto file = scratch_.write("k.metal", kHead + text);
    std::vector<std::string> arguments = {"check", file.string(), "--numerics", "strict"};
    if (std::find(more.begin(), more.end(), "--cases") == more.end())
      arguments.insert(arguments.end(), {"--cases", "30"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return told(assay(arguments));
  }
  metal::ProcessResult told(metal::ProcessResult result) {
    words_ = std::regex_replace(result.out + result.err, std::regex("\\s+"), " ");
    return result;
  }

  Scratch scratch_;
  std::string words_;
};

}  // namespace assay::end_to_end
