#include "golden/own_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "golden/answers.hpp"
#include "golden/content_hash.hpp"
#include "golden/dtype_text.hpp"
#include "golden/safetensors_format.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/cases/infer_dims.hpp"

namespace assay::golden {
namespace {

using properties::Operation;
using properties::Role;
using properties::TensorSpec;

/// So many names of a file's tensors are listed where one is missing.
constexpr std::size_t kMostListed = 12;
constexpr std::size_t kMostZeroBytes = std::size_t{1} << 28;

std::string names_of_tensors(const Dataset& dataset) {
  std::vector<std::string> names;
  for (const Tensor& tensor : dataset.tensors) names.push_back(escaped(tensor.name, 60));
  const std::size_t more = names.size() > kMostListed ? names.size() - kMostListed : 0;
  names.resize(names.size() - more);
  return names.empty()
             ? "no tensors"
             : fmt::format("{}{}", fmt::join(names, ", "), more ? fmt::format(" and {} more", more) : "");
}

/// One file's tensors, being made the problem of one operation.
class Reading {
 public:
  Reading(const Dataset& dataset, const Operation& operation, const Dims& given)
      : dataset_(dataset), operation_(operation), declaration_(operation.declaration()), dims_(given) {}

  OwnTensors read() {
    check_operation();
    add_dims_of_metadata();
    own_.problem.operation = operation_.name();
    take_inputs();
    settle_dims();
    add_inputs_that_are_outputs();
    check();
    take_arithmetic();
    note_unused();
    for (const TensorSpec& spec : declaration_.tensors) {
      if (spec.role != Role::input) add_output(spec);
    }
    return std::move(own_);
  }

 private:
  const std::string* metadata(const std::string& key) const {
    const auto found = dataset_.metadata.find(key);
    return found == dataset_.metadata.end() ? nullptr : &found->second;
  }

  void check_operation() const {
    const std::string* const named = metadata("operation");
    if (named == nullptr || *named == operation_.name()) return;
    throw FormatError(
        fmt::format("metadata operation: the file is of {}, not of {}", escaped(*named), operation_.name()));
  }

  /// Those that were not given.
  void add_dims_of_metadata() {
    if (const std::string* const line = metadata("case")) {
      try {
        const properties::Case described = properties::parse_line(*line);
        if (described.operation == operation_.name())
          dims_.insert(described.dims.begin(), described.dims.end());
      } catch (const std::invalid_argument& error) {
        throw FormatError(fmt::format("metadata case: {}", error.what()));
      }
    }
    for (const properties::Dimension& one : declaration_.dimensions) {
      const std::string* const text = metadata(one.name);
      if (text == nullptr || dims_.contains(one.name)) continue;
      const auto value = whole_number_in(*text);
      if (!value) {
        throw FormatError(
            fmt::format("metadata {}: {} is not a whole number; give the dimension with --at {}=NUMBER",
                        one.name, escaped(*text), one.name));
      }
      dims_[one.name] = static_cast<std::int64_t>(*value);
    }
  }

  void take_inputs() {
    for (const TensorSpec& spec : declaration_.tensors) {
      if (spec.role == Role::output) continue;
      const Tensor* const found = dataset_.find(spec.name);
      if (found == nullptr && spec.role == Role::in_out) continue;
      const auto wanted = [&] {
        return fmt::format("{} {}", dtype_text(spec.dtype), shape_in_words(declaration_, spec));
      };
      if (found == nullptr) {
        throw FormatError(fmt::format("tensor {}: missing; {} takes it as {}; the file has {}", spec.name,
                                      operation_.name(), wanted(), names_of_tensors(dataset_)));
      }
      if (found->dtype != spec.dtype) {
        throw FormatError(fmt::format("tensor {}: dtype: is {}, must be {}; {} takes it as {}", spec.name,
                                      dtype_text(found->dtype), dtype_text(spec.dtype), operation_.name(),
                                      wanted()));
      }
      Tensor& tensor = own_.problem.inputs.emplace_back(*found);
      // A number by itself is kept without axes as well.
      if (spec.single && tensor.shape.empty()) tensor.shape = {1};
    }
  }

  void settle_dims() {
    std::vector<properties::StoredShape> shapes;
    for (const Tensor& tensor : own_.problem.inputs) shapes.push_back({tensor.name, tensor.shape});
    for (const TensorSpec& spec : declaration_.tensors) {
      const std::string name = expected_name(spec.name);
      const Tensor* const found = dataset_.find(name);
      if (spec.role == Role::output && found != nullptr) shapes.push_back({spec.name, found->shape, name});
    }
    const auto inferred = properties::infer_dims(declaration_, shapes, dims_);
    if (!inferred.open.empty()) refuse_open(inferred.open);
    for (const auto& [name, value] : inferred.dims) {
      if (!dims_.contains(name)) own_.notes.push_back(fmt::format("{}={}, from the shapes", name, value));
    }
    own_.problem.dims = inferred.dims;
  }

  /// In one line, with the option that settles it.
  [[noreturn]] void refuse_open(const std::vector<properties::OpenDimension>& open) const {
    std::vector<std::string> names, asked, why;
    for (const auto& [name, fits] : open) {
      names.push_back(name);
      asked.push_back(name + "=NUMBER");
      if (fits.size() > 1)
        why.push_back(fmt::format("{} and others are possible for {}", fmt::join(fits, ", "), name));
    }
    throw FormatError(
        fmt::format("{}: cannot be found from the shapes{}; add --at {}", fmt::join(names, ", "),
                    why.empty() ? "" : fmt::format(" ({})", fmt::join(why, "; ")), fmt::join(asked, ",")));
  }

  void add_inputs_that_are_outputs() {
    std::vector<Tensor> ordered;
    for (const TensorSpec& spec : declaration_.tensors) {
      if (spec.role == Role::output) continue;
      auto& inputs = own_.problem.inputs;
      const auto found = std::find_if(inputs.begin(), inputs.end(),
                                      [&](const Tensor& one) { return one.name == spec.name; });
      if (found != inputs.end()) {
        ordered.push_back(std::move(*found));
        continue;
      }
      ordered.push_back(zeros(spec));
      own_.notes.push_back(
          fmt::format("{}: filled with zeros, because the file does not have it", spec.name));
    }
    own_.problem.inputs = std::move(ordered);
  }

  /// Of a size that no file vouches for.
  Tensor zeros(const TensorSpec& spec) const {
    const auto shape = spec.shape(own_.problem.dims);
    std::size_t left = kMostZeroBytes / assay::size_of(spec.dtype);
    for (const std::size_t extent : shape) {
      if (extent > left) {
        throw FormatError(
            fmt::format("tensor {}: missing, and too large to be filled with zeros ([{}] elements)",
                        spec.name, fmt::join(shape, ", ")));
      }
      left /= std::max<std::size_t>(extent, 1);
    }
    return assay::make_tensor(spec.name, spec.dtype, shape);
  }

  void check() {
    operation_.settle_counts(own_.problem);
    try {
      operation_.check_problem(own_.problem);
    } catch (const std::invalid_argument& error) {
      const std::string what = error.what();
      const std::string name = what.substr(0, what.find(": "));
      const bool of_tensor = find_named(declaration_.tensors, name) != nullptr;
      throw FormatError((of_tensor ? "tensor " : "") + what);
    }
  }

  /// A slip of a name would be passed over without a word.
  void note_unused() {
    for (const Tensor& tensor : dataset_.tensors) {
      const TensorSpec* const spec = find_named(declaration_.tensors, tensor.name);
      if (tensor.name.starts_with(expected_name("")) || (spec != nullptr && spec->role != Role::output))
        continue;
      own_.notes.push_back(
          spec != nullptr
              ? fmt::format("{0}: not used, because the kernel makes it; what is right for it is called {1}",
                            tensor.name, expected_name(tensor.name))
              : fmt::format("{}: not used, because {} has no such tensor", escaped(tensor.name, 60),
                            operation_.name()));
    }
  }

  void take_arithmetic() {
    const std::string* const dequantize = metadata("dequantize");
    const std::string* const accumulate = metadata("accumulate");
    if (dequantize == nullptr || accumulate == nullptr) return;
    own_.arithmetic = Arithmetic{properties::precision_from_name(*dequantize),
                                 properties::precision_from_name(*accumulate)};
  }

  void add_output(const TensorSpec& spec) {
    const OutputSpec& output = own_.problem.outputs.emplace_back(
        OutputSpec{spec.name, spec.dtype, spec.shape(own_.problem.dims), spec.optional});
    if (auto expected = expectation_of_file(output)) own_.expected.push_back(std::move(*expected));
  }

  /// The elements of expected.T and what follows that name; nothing where the file has no such tensor.
  std::optional<std::vector<double>> values(const OutputSpec& output, const char* suffix, DType dtype) const {
    const std::string name = expected_name(output.name) + suffix;
    const Tensor* const found = dataset_.find(name);
    if (found == nullptr) return std::nullopt;
    if (found->dtype != dtype || found->shape != output.shape) {
      throw FormatError(fmt::format("tensor {}: is {} [{}], must be {} [{}]", name, dtype_text(found->dtype),
                                    fmt::join(found->shape, ", "), dtype_text(dtype),
                                    fmt::join(output.shape, ", ")));
    }
    std::vector<double> elements(found->element_count());
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = assay::decode(*found, i);
    return elements;
  }

  std::optional<Expectation> expectation_of_file(const OutputSpec& output) const {
    const std::string name = expected_name(output.name);
    auto nearest = values(output, "", output.dtype), low = values(output, ".low", output.dtype),
         high = values(output, ".high", output.dtype);
    if (!nearest && !low && !high) return std::nullopt;
    if (low.has_value() != high.has_value())
      throw FormatError(fmt::format("tensor {}.{}: missing, although .{} is there", name,
                                    low ? "high" : "low", low ? "low" : "high"));
    if (!low) {
      low = high = nearest;
      if (const auto widths = values(output, ".half_width", DType::f32)) widen(name, *widths, *low, *high);
    }
    Expectation expected;
    expected.tensor = output.name;
    expected.value = values(output, ".value", DType::f32).value_or(nearest ? *nearest : *low);
    expected.low = std::move(*low);
    expected.high = std::move(*high);
    check_order(expected, name + ".low");
    const std::string* const bound = metadata("bound." + output.name);
    const std::string* const signed_zero = metadata("signed_zero." + output.name);
    expected.bound = bound != nullptr ? *bound : "what the file says is right, " + name;
    expected.signed_zero = signed_zero != nullptr && *signed_zero == "true";
    return expected;
  }

  static void widen(const std::string& name, const std::vector<double>& widths, std::vector<double>& low,
                    std::vector<double>& high) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (!(widths[i] >= 0)) {
        throw FormatError(
            fmt::format("tensor {}.half_width: element {} is {}, must be 0 or more", name, i, widths[i]));
      }
      if (!std::isfinite(low[i])) continue;
      low[i] -= widths[i];
      high[i] += widths[i];
    }
  }

  const Dataset& dataset_;
  const Operation& operation_;
  const properties::OperationDeclaration& declaration_;
  Dims dims_;  ///< that were given, or that the metadata says
  OwnTensors own_;
};

}  // namespace

OwnTensors own_tensors(const Dataset& dataset, const Operation& operation, const Dims& given) try {
  return Reading(dataset, operation, given).read();
} catch (const std::logic_error& error) {
  throw FormatError(error.what());
}

OwnTensors read_own_tensors(const std::filesystem::path& path, const Operation& operation,
                            const Dims& given) {
  const InputFile file(path);
  const Header header = read_header(file);
  if (header.metadata.contains(std::string(kHashKey))) check_hash(file, header);
  const Dataset dataset = read_safetensors(path);
  try {
    return own_tensors(dataset, operation, given);
  } catch (const FormatError& error) {
    throw FormatError(escaped(path.string(), std::string::npos) + ": " + error.what());
  }
}

}  // namespace assay::golden
