// The tensors of a case in a file: what the kernel was given, what it made of it, what is right.
#pragma once

#include <filesystem>

#include "assay/problem.hpp"
#include "properties/cases/case.hpp"
#include "properties/cases/trial.hpp"

namespace assay::run {

/// Runs the problem once more and writes a safetensors file: inputs by their names, `result.T` of each output
/// T as the kernel left it, and what is right as golden files have it (golden/answers.hpp). `assay replay
/// --inputs` takes it. Throws std::runtime_error where it cannot be written.
void dump(const properties::Trial& trial, const properties::Case& test_case, const properties::Given& given,
          const std::filesystem::path& path);

}  // namespace assay::run
