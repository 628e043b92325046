#include "harness/verify/binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace assay::verify {
namespace {

/// Evaluates one field of the entry; what goes wrong is an error at that field.
std::int64_t evaluate(const KernelEntry& entry, const std::string& field, const Expression& expression,
                      const Dims& dims) {
  try {
    return expression.evaluate_integer(dims);
  } catch (const ExpressionError& e) {
    throw entry.error(field, e.what());
  }
}

template <class T>
void store(std::vector<std::byte>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
void store_integer(const KernelEntry& entry, const std::string& field, const ScalarField& scalar,
                   std::int64_t value, std::vector<std::byte>& bytes, std::size_t at) {
  if (!std::in_range<T>(value)) {
    throw entry.error(field, fmt::format("{} is {}, which does not fit in {}; choose a wider type",
                                         scalar.value.text(), value, name_of(scalar.type)));
  }
  store(bytes, at, static_cast<T>(value));
}

void store_scalar(const KernelEntry& entry, const std::string& field, const ScalarField& scalar,
                  const Dims& dims, std::vector<std::byte>& bytes, std::size_t at) {
  if (scalar.type == ScalarType::float_) {
    try {
      const Fraction value = scalar.value.evaluate(dims);
      return store(
          bytes, at,
          static_cast<float>(static_cast<double>(value.numerator) / static_cast<double>(value.denominator)));
    } catch (const ExpressionError& e) {
      throw entry.error(field, e.what());
    }
  }
  const std::int64_t value = evaluate(entry, field, scalar.value, dims);
  const auto put = [&]<class T>(T) { store_integer<T>(entry, field, scalar, value, bytes, at); };
  switch (scalar.type) {
    case ScalarType::uchar:
      return put(std::uint8_t{});
    case ScalarType::char_:
      return put(std::int8_t{});
    case ScalarType::ushort:
      return put(std::uint16_t{});
    case ScalarType::short_:
      return put(std::int16_t{});
    case ScalarType::uint:
      return put(std::uint32_t{});
    case ScalarType::int_:
      return put(std::int32_t{});
    case ScalarType::ulong:
      return put(std::uint64_t{});
    case ScalarType::long_:
    case ScalarType::float_:
      return put(std::int64_t{});
  }
}

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

std::size_t size_bytes_of(const std::string& name, DType dtype, const std::vector<std::size_t>& shape) {
  std::size_t bytes = size_of(dtype);
  for (const std::size_t side : shape) {
    if (__builtin_mul_overflow(bytes, side, &bytes))
      throw std::invalid_argument(name + ": the shape is too large");
  }
  if (bytes == 0) throw std::invalid_argument(name + ": a side of the shape is 0");
  return bytes;
}

}  // namespace

std::vector<std::byte> pack_scalars(const KernelEntry& entry, const std::string& field,
                                    const ScalarArgument& argument, const Dims& dims) {
  std::vector<std::byte> bytes;
  std::size_t widest = 1;
  for (const ScalarField& scalar : argument.fields) {
    const std::size_t size = size_of(scalar.type);
    widest = std::max(widest, size);
    const std::size_t at = round_up(bytes.size(), size);
    bytes.resize(at + size);
    store_scalar(entry, field, scalar, dims, bytes, at);
  }
  bytes.resize(round_up(bytes.size(), argument.fields.size() == 3 ? 4 * widest : widest));
  return bytes;
}

device::Size3 grid_of(const KernelEntry& entry, const Problem& problem) {
  const Dims dims = entry.with_tile(problem.dims);
  const auto side = [&](const Expression& expression) {
    const std::int64_t value = evaluate(entry, "grid", expression, dims);
    if (value < 1 || value > std::numeric_limits<std::uint32_t>::max()) {
      throw entry.error("grid",
                        fmt::format("\"{}\" is {}; a side of the grid is 1 or more and fits in 32 bits",
                                    expression.text(), value));
    }
    return static_cast<std::uint32_t>(value);
  };
  if (entry.grid.rule == GridRule::list) {
    return {side(entry.grid.size[0]), side(entry.grid.size[1]), side(entry.grid.size[2])};
  }
  if (entry.grid.rule == GridRule::tiles) {
    for (const char* name : {"M", "N"}) {
      if (!dims.contains(name)) {
        throw entry.error("grid",
                          fmt::format("\"tiles\" needs the dimensions M and N; operation {} has no {}: write "
                                      "a list of sizes",
                                      problem.operation, name));
      }
    }
    return {side(Expression("ceil(N / tile_n)")), side(Expression("ceil(M / tile_m)")), 1};
  }
  if (problem.outputs.empty() || problem.outputs.front().shape.empty()) {
    throw entry.error("grid", "needs an output with rows; write a list of sizes");
  }
  const std::vector<std::size_t>& shape = problem.outputs.front().shape;
  const std::size_t columns = shape.back();
  const std::size_t rows = size_bytes_of(problem.outputs.front().name, DType::u8, shape) / columns;
  const Expression row_count(std::to_string(rows));
  if (entry.grid.rule == GridRule::rows) return {side(row_count), 1, 1};
  return {side(Expression(std::to_string(columns))), side(row_count), 1};
}

Binding::Binding(device::Device& device, device::KernelId kernel, const KernelEntry& entry,
                 const Problem& problem)
    : device_(device), problem_(problem) {
  const std::vector<ResolvedArgument> arguments = resolve_arguments(entry, signature_of(problem));
  const Dims dims = entry.with_tile(problem.dims);
  dispatch_.kernel = kernel;
  dispatch_.threads_per_threadgroup = entry.threads_per_threadgroup;
  dispatch_.grid = grid_of(entry, problem);
  dispatch_.grid_in_threads = entry.grid.in_threads;
  for (const Expression& bytes : entry.threadgroup_memory) {
    const std::int64_t value = evaluate(entry, "threadgroup_memory", bytes, dims);
    if (value < 0) throw entry.error("threadgroup_memory", fmt::format("\"{}\" is {}", bytes.text(), value));
    dispatch_.threadgroup_bytes.push_back(static_cast<std::size_t>(value));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto* tensor = std::get_if<TensorArgument>(&arguments[i])) {
      dispatch_.arguments.emplace_back(bind(tensor->tensor).buffer.whole());
    } else if (const auto* scalars = std::get_if<ScalarArgument>(&arguments[i])) {
      dispatch_.arguments.emplace_back(
          device::InlineBytes{pack_scalars(entry, fmt::format("arguments[{}]", i), *scalars, dims)});
    } else {
      dispatch_.arguments.emplace_back(std::monostate{});
    }
  }
}

const Binding::Bound& Binding::bind(const std::string& tensor) {
  for (const Bound& bound : bound_) {
    if (bound.tensor == tensor) return bound;
  }
  const auto named = [&](const auto& candidate) { return candidate.name == tensor; };
  const auto input = std::find_if(problem_.inputs.begin(), problem_.inputs.end(), named);
  const auto output = std::find_if(problem_.outputs.begin(), problem_.outputs.end(), named);
  const bool is_input = input != problem_.inputs.end();
  const bool is_output = output != problem_.outputs.end();
  const std::size_t size_bytes = is_output ? size_bytes_of(tensor, output->dtype, output->shape)
                                           : size_bytes_of(tensor, input->dtype, input->shape);
  if (is_input && input->data.size() != size_bytes) {
    throw std::invalid_argument(
        fmt::format("{}: {} bytes of data where the shape has {}", tensor, input->data.size(), size_bytes));
  }
  bound_.push_back({tensor, is_input ? &*input : nullptr, is_output ? &*output : nullptr,
                    device::Buffer(device_, size_bytes)});
  if (is_input) device_.upload(bound_.back().buffer.id(), 0, input->data);
  return bound_.back();
}

std::vector<Tensor> Binding::download_outputs() const {
  std::vector<Tensor> outputs;
  for (const OutputSpec& spec : problem_.outputs) {
    const auto bound =
        std::find_if(bound_.begin(), bound_.end(), [&](const Bound& b) { return b.tensor == spec.name; });
    if (bound == bound_.end()) continue;  // optional: resolve_arguments has seen to the others
    Tensor tensor = make_tensor(spec.name, spec.dtype, spec.shape);
    device_.download(bound->buffer.id(), 0, tensor.data);
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

std::map<std::string, std::vector<device::Storer>> Binding::storers(
    const device::LaunchReport& report) const {
  std::map<std::string, std::vector<device::Storer>> of_elements;
  for (std::size_t i = 0; i < report.storers.size(); ++i) {
    const auto* slice = std::get_if<device::BufferSlice>(&dispatch_.arguments.at(i));
    if (slice == nullptr) continue;
    const auto bound = std::find_if(bound_.begin(), bound_.end(),
                                    [&](const Bound& one) { return one.buffer.id() == slice->buffer; });
    if (bound == bound_.end() || bound->output == nullptr) continue;
    auto& of = of_elements[bound->tensor];
    of.clear();
    for (std::size_t byte = 0; byte < report.storers[i].size(); byte += size_of(bound->output->dtype))
      of.push_back(report.storers[i][byte]);
  }
  return of_elements;
}

std::vector<std::string> Binding::changed_inputs() const {
  std::vector<std::string> changed;
  std::vector<std::byte> now;
  for (const Bound& bound : bound_) {
    if (bound.output != nullptr) continue;
    now.resize(bound.input->data.size());
    device_.download(bound.buffer.id(), 0, now);
    if (now != bound.input->data) changed.push_back(bound.tensor);
  }
  return changed;
}

}  // namespace assay::verify
