// Whole numbers that a text gives names to: constants, macros and template arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/draft/kernel_items.hpp"

namespace assay::draft {

struct NamedConstant {
  std::string name;
  std::vector<std::int64_t> values;  ///< several of a vector, `uint3(16, 16, 1)`
};

/// Those that the kernel uses, in the order of the text, and behind them macros whose value it uses: the
/// preprocessor leaves no more of them. Vectors are there whether or not they are used: translators of
/// shaders leave the threads of a threadgroup in one that nothing asks for.
std::vector<NamedConstant> named_constants(const LiveText& text, const device::KernelSource& source);

/// Is the word declared `constexpr`, `const`, or in constant memory? Another may be a variable.
bool is_constant(const metal::TokenText& text, metal::IntegerConstants& constants, const std::string& word);

/// Those that may be sides of tiles: few, and each once.
std::vector<std::int64_t> named_sizes(const LiveText& text, const device::KernelSource& source);

}  // namespace assay::draft
