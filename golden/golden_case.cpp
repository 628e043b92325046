#include "golden/golden_case.hpp"

#include <fmt/format.h>

#include <utility>

#include "golden/answers.hpp"
#include "golden/content_hash.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {
namespace {

bool truth_of(const Dataset& dataset, const std::string& key) {
  const std::string& text = metadata_of(dataset.metadata, key);
  if (text == "true" || text == "false") return text == "true";
  throw FormatError(fmt::format("metadata {}: \"{}\" is neither true nor false", key, text));
}

void check_hash_of(const std::filesystem::path& path) {
  const InputFile file(path);
  const Header header = read_header(file);
  if (header.metadata.contains(std::string(kHashKey))) check_hash(file, header);
}

}  // namespace

const std::string& metadata_of(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw FormatError(fmt::format("metadata {}: missing", key));
  return found->second;
}

GoldenCase read_case(const std::filesystem::path& path) try {
  check_hash_of(path);
  const Dataset dataset = read_safetensors(path);
  const auto metadata = [&](const std::string& key) { return metadata_of(dataset.metadata, key); };
  const properties::Case described = properties::parse_line(metadata("case"));
  const properties::Operation& operation = properties::find_operation(metadata("operation"));
  if (described.operation != operation.name()) {
    throw FormatError(
        fmt::format("metadata case: is of {}, the file of {}", described.operation, operation.name()));
  }
  GoldenCase golden;
  golden.problem = {.operation = operation.name(), .dims = described.dims, .inputs = {}, .outputs = {}};
  golden.regime = described.regime;
  golden.arithmetic = {properties::precision_from_name(metadata("dequantize")),
                       properties::precision_from_name(metadata("accumulate"))};
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role == properties::Role::output) continue;
    const Tensor* const found = dataset.find(spec.name);
    if (found == nullptr) throw FormatError(fmt::format("tensor {}: missing", spec.name));
    golden.problem.inputs.push_back(*found);
  }
  operation.settle_counts(golden.problem);
  operation.check_problem(golden.problem);
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role == properties::Role::input) continue;
    const OutputSpec& output = golden.problem.outputs.emplace_back(
        OutputSpec{spec.name, spec.dtype, spec.shape(golden.problem.dims), spec.optional});
    Expectation expected = expectation_in(dataset, output);
    expected.bound = metadata("bound." + spec.name);
    expected.signed_zero = truth_of(dataset, "signed_zero." + spec.name);
    golden.expectations.push_back(std::move(expected));
  }
  return golden;
} catch (const std::exception& fault) {
  const std::string what = fault.what();
  throw FormatError(what.find(path.string()) <= 1 ? what : fmt::format("{}: {}", path.string(), what));
}

}  // namespace assay::golden
