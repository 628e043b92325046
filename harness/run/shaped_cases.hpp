// Cases of given shapes, in place of those that are drawn: `assay verify --at` and `--shapes`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/run/mode.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/operation.hpp"

namespace assay::run {

/// What is asked for. Nothing: cases are drawn.
struct Shapes {
  std::vector<Dims> at;  ///< of one's own, each with values of the regimes `exact` and `random`
  /// "llm": the layers of all models of the table (properties/large/models.toml); else the name of one of
  /// them.
  std::string models = {};

  bool asked() const { return !at.empty() || !models.empty(); }
};

/// "M=1,N=4096": throws std::invalid_argument that says what is no NAME=NUMBER.
Dims parse_dims(const std::string& text);

/// "llm" and the names of the models, for messages and --help.
std::vector<std::string> shape_names();

/// What of the asked shapes one mode runs of a kernel.
struct ShapedCases {
  std::vector<properties::Case> cases;
  std::string left_out;  ///< "21 of 78 layers not run: ..."; empty where it runs all that the kernel serves
};

/// The cases of a kernel, with that budget. Throws std::invalid_argument that says why it has none:
/// dimensions that it lacks or does not take, shapes so large that only part of a launch could be run where
/// its grid does not say who stores what, layers that it does not serve.
///
/// Of models' layers, those that the mode can afford, which may be none: where each threadgroup works through
/// a whole prompt, or each token through several experts, one threadgroup may take minutes.
ShapedCases shaped_cases(const KernelEntry& entry, const Shapes& shapes, std::uint64_t budget = 1,
                         Mode mode = Mode::fast);

}  // namespace assay::run
