#include "golden/golden_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "golden/answers.hpp"
#include "golden/content_hash.hpp"
#include "golden/safetensors_format.hpp"
#include "golden/safetensors_header.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {
namespace {

bool truth_of(const Dataset& dataset, const std::string& key) {
  const std::string& text = metadata_of(dataset.metadata, key);
  if (text == "true" || text == "false") return text == "true";
  throw FormatError(fmt::format("metadata {}: \"{}\" is neither true nor false", key, text));
}

/// Metadata that files of this program have beside the hash.
constexpr const char* kOwnKeys[] = {"source", "program", "request", "generator"};

void check_hash_of(const std::filesystem::path& path) {
  const InputFile file(path);
  const Header header = read_header(file);
  // Ours have one. Where damage has hit the key itself, another key still says whose file it is.
  const bool ours = std::any_of(std::begin(kOwnKeys), std::end(kOwnKeys),
                                [&](const char* key) { return header.metadata.contains(key); });
  if (ours || header.metadata.contains(std::string(kHashKey))) check_hash(file, header);
}

}  // namespace

const std::string& metadata_of(const std::map<std::string, std::string>& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw FormatError(fmt::format("metadata {}: missing", key));
  return found->second;
}

namespace {

/// Tensors of a file by their names, read as they are asked for.
class LazyTensors {
 public:
  explicit LazyTensors(const std::filesystem::path& path) : file_(path), header_(read_header(file_)) {}

  const Header& header() const { return header_; }

  /// Throws FormatError.
  Tensor read(const std::string& name) const {
    const HeaderEntry* const entry = header_.find(name);
    if (entry == nullptr) throw FormatError(fmt::format("tensor {}: missing", name));
    Tensor tensor{.name = name, .dtype = dtype_of(file_, *entry), .shape = entry->shape, .data = {}};
    tensor.data.resize(static_cast<std::size_t>(entry->end - entry->begin));
    file_.read(header_.data_at + entry->begin, tensor.data);
    return tensor;
  }

 private:
  InputFile file_;
  Header header_;
};

GoldenCase inputs_of(const LazyTensors& file) {
  const auto metadata = [&](const std::string& key) { return metadata_of(file.header().metadata, key); };
  const properties::Case described = properties::parse_line(metadata("case"));
  const properties::Operation& operation = properties::find_operation(metadata("operation"));
  if (described.operation != operation.name()) {
    throw FormatError(fmt::format("metadata case: is a case of {}, but the file is of {}",
                                  described.operation, operation.name()));
  }
  GoldenCase golden;
  golden.problem = {.operation = operation.name(), .dims = described.dims, .inputs = {}, .outputs = {}};
  golden.regime = described.regime;
  golden.arithmetic = {properties::precision_from_name(metadata("dequantize")),
                       properties::precision_from_name(metadata("accumulate"))};
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role != properties::Role::output) golden.problem.inputs.push_back(file.read(spec.name));
  }
  operation.settle_counts(golden.problem);
  operation.check_problem(golden.problem);
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role != properties::Role::input)
      golden.problem.outputs.push_back(
          {spec.name, spec.dtype, spec.shape(golden.problem.dims), spec.optional});
  }
  return golden;
}

/// What `read` gives; whatever it throws becomes a FormatError that names the file.
template <class Read>
GoldenCase named(const std::filesystem::path& path, const Read& read) try {
  return read();
} catch (const std::exception& fault) {
  throw FormatError(with_file(path, fault.what()));
}

}  // namespace

GoldenCase read_inputs(const std::filesystem::path& path) {
  return named(path, [&] { return inputs_of(LazyTensors(path)); });
}

GoldenCase read_case(const std::filesystem::path& path) {
  return named(path, [&] {
    check_hash_of(path);
    const LazyTensors file(path);
    GoldenCase golden = inputs_of(file);
    Dataset dataset{file.header().metadata, {}};
    for (const HeaderEntry& entry : file.header().entries) {
      if (entry.name.starts_with(expected_name(""))) dataset.tensors.push_back(file.read(entry.name));
    }
    for (const OutputSpec& output : golden.problem.outputs) {
      Expectation expected = expectation_in(dataset, output);
      expected.bound = metadata_of(dataset.metadata, "bound." + output.name);
      expected.signed_zero = truth_of(dataset, "signed_zero." + output.name);
      golden.expectations.push_back(std::move(expected));
    }
    return golden;
  });
}

}  // namespace assay::golden
