#include "golden/model/quantize.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string_view>

#include "golden/model/quantizers.hpp"
#include "golden/safetensors_format.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/cases/draw.hpp"

namespace assay::golden {
namespace {

using properties::Operation;
using properties::Role;

enum class Family { fp4, u4, s4, trellis, rans };

const std::map<std::string, Family, std::less<>>& families() {
  static const std::map<std::string, Family, std::less<>> all = {
      {"dequantize_fp4", Family::fp4},
      {"dequantize_s4", Family::s4},
      {"dequantize_trellis", Family::trellis},
      {"dequantize_u4", Family::u4},
      {"gemm_fp4", Family::fp4},
      {"gemm_fp4_striped", Family::fp4},
      {"gemm_s4", Family::s4},
      {"gemm_trellis", Family::trellis},
      {"gemm_u4", Family::u4},
      {"rans_decode", Family::rans},
      {"rans_gemm", Family::rans},
      {"rans_gemv", Family::rans},
  };
  return all;
}

Family family_of(const Operation& operation) {
  const auto found = families().find(operation.name());
  if (found == families().end())
    throw Refused(fmt::format("this operation takes no weights of a model; these do: {}",
                              fmt::join(model_operations(), ", ")));
  return found->second;
}

/// The regime that activations are drawn as; every operation has it.
constexpr const char* kModelRegime = "random";
/// What no reader of a problem takes (Operation::check_problem).
constexpr std::size_t kLargestInputBytes = std::size_t{1} << 30;

/// Inputs that are no weights.
constexpr std::array<std::string_view, 4> kBesideWeights = {"A", "x", "partials", "counters"};

std::int64_t dimension_size(std::string_view dimension, Family family, const Operation& operation,
                            const MatrixInfo& matrix, const QuantizeOptions& options) {
  const bool rans = family == Family::rans;
  const std::size_t usual_streams = operation.name() == "rans_gemv" ? 32 : 8;
  const std::map<std::string_view, std::size_t> known = {
      {rans ? "batch" : "M", options.tokens},
      {rans ? "M" : "N", matrix.rows},
      {rans ? "N" : "K", matrix.columns},
      {"group_size", options.group_size},
      {"bits", options.bits},
      {"n_levels", std::size_t{1} << std::min(options.bits, 8U)},
      {"parallel", options.parallel},
      {"threadgroups", options.threadgroups},
      {"tile_rows", options.tile_rows},
      {"tile_cols", options.tile_cols},
      {"streams", options.streams == 0 ? usual_streams : options.streams},
  };
  const auto found = known.find(dimension);
  if (found == known.end())
    throw Refused(fmt::format("{}: neither the matrix nor an option gives its size", dimension));
  return static_cast<std::int64_t>(found->second);
}

Dims model_dims_of(const Operation& operation, const MatrixInfo& matrix, const QuantizeOptions& options) {
  const Family family = family_of(operation);
  properties::Case described{.operation = operation.name(), .dims = {}, .regime = kModelRegime, .knobs = {}};
  for (const properties::Dimension& one : operation.declaration().dimensions)
    described.dims[one.name] = dimension_size(one.name, family, operation, matrix, options);
  operation.check_case(described);
  Dims all = described.dims;
  for (const properties::Count& one : operation.declaration().counts) all[one.name] = 1;
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role == Role::output) continue;
    std::size_t bytes = assay::size_of(spec.dtype);
    for (const std::size_t extent : spec.shape(all)) bytes *= extent;  // check_case has seen that it fits
    if (bytes > kLargestInputBytes) {
      throw Refused(fmt::format("{}: would have {} bytes; at most {} are possible", spec.name, grouped(bytes),
                                grouped(kLargestInputBytes)));
    }
  }
  return described.dims;
}

/// Inputs of zeros, but for those that get their length later, which have one element.
Problem zero_problem(const Operation& operation, const Dims& dims, std::uint64_t seed) {
  Problem problem{.operation = operation.name(), .dims = dims, .inputs = {}, .outputs = {}, .schedule = seed};
  Dims all = dims;
  for (const properties::Count& one : operation.declaration().counts) all[one.name] = 1;
  for (const properties::TensorSpec& spec : operation.declaration().tensors) {
    if (spec.role != Role::output)
      problem.inputs.push_back(assay::make_tensor(spec.name, spec.dtype, spec.shape(all)));
    if (spec.role != Role::input)
      problem.outputs.push_back({spec.name, spec.dtype, spec.shape(all), spec.optional});
  }
  return problem;
}

/// As the regime "random" of products draws them: both signs, magnitudes from 2^-4 to 4.
void fill_activations(const std::string& matrix, std::uint64_t seed, Problem& problem) {
  constexpr int kLow = -4, kHigh = 1;
  for (Tensor& tensor : problem.inputs) {
    if (tensor.name != "A" && tensor.name != "x") continue;
    const properties::Draw draw(seed, matrix + "." + tensor.name);
    if (tensor.dtype == DType::f16) {
      const auto halves = tensor.as<std::uint16_t>();
      for (std::size_t i = 0; i < halves.size(); ++i)
        halves[i] = properties::ordinary_half(kLow, kHigh, draw.words(i));
    } else {
      const auto floats = tensor.as<float>();
      for (std::size_t i = 0; i < floats.size(); ++i)
        floats[i] = properties::normal_float(kLow, kHigh, draw.words(i));
    }
  }
}

double bits_of_weights(const Problem& problem, const MatrixInfo& matrix) {
  std::size_t bytes = 0;
  for (const Tensor& tensor : problem.inputs) {
    const bool weights =
        std::find(kBesideWeights.begin(), kBesideWeights.end(), tensor.name) == kBesideWeights.end();
    if (weights) bytes += tensor.data.size();
  }
  return 8.0 * static_cast<double>(bytes) /
         (static_cast<double>(matrix.rows) * static_cast<double>(matrix.columns));
}

/// What `run` gives; what it refuses, with the names of file, tensor and operation before it.
template <class F>
auto with_names(const Operation& operation, const ModelFile& file, const MatrixInfo& matrix, F&& run) {
  const auto refuse = [&](const std::exception& fault) {
    return Refused(fmt::format("{}: tensor {}: {}: {}", escaped(file.path().string(), std::string::npos),
                               escaped(matrix.name), operation.name(), fault.what()));
  };
  try {
    return run();
  } catch (const Refused& fault) {
    throw refuse(fault);
  } catch (const std::invalid_argument& fault) {
    throw refuse(fault);
  }
}

}  // namespace

const std::vector<std::string>& model_operations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, family] : families()) all.push_back(name);
    return all;
  }();
  return names;
}

Dims model_dims(const Operation& operation, const ModelFile& file, const MatrixInfo& matrix,
                const QuantizeOptions& options) {
  return with_names(operation, file, matrix, [&] { return model_dims_of(operation, matrix, options); });
}

Quantized quantize(const Operation& operation, const ModelFile& file, const MatrixInfo& matrix,
                   const QuantizeOptions& options) {
  return with_names(operation, file, matrix, [&] {
    const Dims dims = model_dims_of(operation, matrix, options);
    Quantized made{
        .problem = zero_problem(operation, dims, options.seed), .regime = kModelRegime, .error = {}};
    const WeightSource source{file, matrix, options};
    Problem& problem = made.problem;
    switch (family_of(operation)) {
      case Family::fp4:
        made.error = quantize_packed4(source, PackedFormat::fp4, problem);
        break;
      case Family::u4:
        made.error = quantize_packed4(source, PackedFormat::u4, problem);
        break;
      case Family::s4:
        made.error = quantize_packed4(source, PackedFormat::s4, problem);
        break;
      case Family::trellis:
        made.error = quantize_trellis(source, problem);
        break;
      case Family::rans:
        made.entropy.emplace();
        made.error = quantize_rans(source, problem, *made.entropy);
        break;
    }
    fill_activations(matrix.name, options.seed, problem);
    operation.settle_counts(problem);
    operation.check_problem(problem);
    made.bits_per_weight = bits_of_weights(problem, matrix);
    return made;
  });
}

}  // namespace assay::golden
