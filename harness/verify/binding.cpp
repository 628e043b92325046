#include "harness/verify/binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "harness/device/bytes.hpp"
#include "harness/verify/launch_sizes.hpp"
#include "harness/verify/scalar_arguments.hpp"

namespace assay {
namespace {

std::size_t size_bytes_of(const std::string& name, DType dtype, const std::vector<std::size_t>& shape) {
  std::size_t bytes = size_of(dtype);
  for (const std::size_t side : shape) {
    if (__builtin_mul_overflow(bytes, side, &bytes))
      throw std::invalid_argument(name + ": the shape is too large");
  }
  if (bytes == 0) throw std::invalid_argument(name + ": a side of the shape is 0");
  return bytes;
}

bool takes_any_strides(const KernelEntry& entry) { return entry.mlx && !entry.mlx->ensure_row_contiguous; }

bool holds(device::Device& device, device::BufferId buffer, std::span<const std::byte> data) {
  std::vector<std::byte> now;
  for (std::size_t begin = 0; begin < data.size(); begin += device::kPieceBytes) {
    const auto piece = data.subspan(begin, std::min(device::kPieceBytes, data.size() - begin));
    now.resize(piece.size());
    device.download(buffer, begin, now);
    if (!device::same_bytes(now, piece)) return false;
  }
  return true;
}

}  // namespace

const Storage* storage_of(const KernelEntry& entry, const std::string& tensor) {
  if (!entry.storages) {
    if (entry.arithmetic.semantics.empty()) return nullptr;
    throw std::logic_error(entry.name + ": its operation has not settled what its semantics say of tensors");
  }
  const auto found = entry.storages->find(tensor);
  return found == entry.storages->end() ? nullptr : found->second.get();
}

Layout layout_of(const KernelEntry& entry, const Problem& problem, const Tensor& input) {
  const Storage* const storage = storage_of(entry, input.name);
  if (storage != nullptr) return row_contiguous(storage->kept_shape(input.shape));
  const bool any = takes_any_strides(entry) && !input.repeated;
  return any ? drawn_layout(input, problem.schedule) : row_contiguous(input.shape);
}

Binding::Binding(device::Device& device, device::KernelId kernel, const KernelEntry& entry,
                 const Problem& problem)
    : device_(device), entry_(entry), problem_(problem) {
  const std::vector<ResolvedArgument> arguments = resolve_arguments(entry, argument_names_of(problem));
  const Dims dims = entry.with_tile(problem.dims);
  dispatch_.kernel = kernel;
  dispatch_.schedule = problem.schedule;
  dispatch_.planned = problem.planned.get();
  dispatch_.resident_threadgroups = entry.resident_threadgroups;
  dispatch_.sample = problem.sample;
  dispatch_.threads_per_threadgroup = entry.threads_per_threadgroup;
  dispatch_.grid = grid_of(entry, problem);
  dispatch_.grid_in_threads = entry.grid.in_threads;
  for (std::size_t i = 0; i < entry.threadgroup_memory.size(); ++i) {
    dispatch_.threadgroup_bytes.push_back(threadgroup_bytes(entry, fmt::format("threadgroup_memory[{}]", i),
                                                            entry.threadgroup_memory[i], dims));
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto* tensor = std::get_if<TensorArgument>(&arguments[i])) {
      dispatch_.arguments.emplace_back(bind(tensor->tensor).buffer.whole());
    } else if (const auto* scalars = std::get_if<ScalarArgument>(&arguments[i])) {
      dispatch_.arguments.emplace_back(
          device::InlineBytes{pack_scalars(entry, entry.argument_field(i), *scalars, dims, problem.inputs)});
    } else if (const auto* packed = std::get_if<PackedArgument>(&arguments[i])) {
      dispatch_.arguments.emplace_back(bind(*packed, dims));
    } else if (const auto* shape = std::get_if<ShapeArgument>(&arguments[i])) {
      dispatch_.arguments.emplace_back(device::InlineBytes{shape_bytes(*shape)});
    } else {
      dispatch_.arguments.emplace_back(std::monostate{});
    }
  }
  for (std::size_t i = 0; i < entry.textures.size(); ++i) {
    auto& texture = dispatch_.textures.emplace_back();
    if (entry.textures[i]) texture = bind_texture(i);
  }
  dispatch_.samplers = entry.samplers;
}

device::Texture Binding::bind_texture(std::size_t index) {
  const std::string& tensor = entry_.textures[index]->tensor;
  if (storage_of(entry_, tensor) != nullptr)
    throw entry_.error(fmt::format("textures[{}].tensor", index),
                       tensor + " is kept otherwise than documented, by semantics; a texture cannot be");
  const Bound& bound = bind(tensor);
  const DType dtype = bound.output != nullptr ? bound.output->dtype : bound.input->dtype;
  const auto& shape = bound.output != nullptr ? bound.output->shape : bound.input->shape;
  return {bound.buffer.whole(), texture_shape(entry_, index, dtype, shape)};
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
  const DType dtype = is_output ? output->dtype : input->dtype;
  const auto& shape = is_output ? output->shape : input->shape;
  if (is_input && !input->repeated && input->data.size() != size_bytes_of(tensor, dtype, shape)) {
    throw std::invalid_argument(fmt::format("{}: {} bytes of data where the shape has {}", tensor,
                                            input->data.size(), size_bytes_of(tensor, dtype, shape)));
  }
  const Storage* const storage = storage_of(entry_, tensor);
  std::optional<Layout> layout;
  if (is_input && !is_output && !storage && !input->repeated && takes_any_strides(entry_))
    layout = layout_of(entry_, problem_, *input);
  const std::size_t size_bytes = layout
                                     ? layout->elements * size_of(dtype)
                                     : size_bytes_of(tensor, storage ? storage->kept(dtype) : dtype, shape);
  const bool repeated = is_input && input->repeated,
             sparse = repeated || (is_output && !problem_.sample.empty());
  bound_.push_back({tensor, is_input ? &*input : nullptr, is_output ? &*output : nullptr, storage,
                    std::move(layout), device::Buffer(device_, size_bytes, sparse)});
  const device::BufferId buffer = bound_.back().buffer.id();
  const auto upload = [&](std::span<const std::byte> data) {
    if (repeated) {
      device_.upload_repeated(buffer, 0, size_bytes, data);
    } else {
      device_.upload(buffer, 0, data);
    }
  };
  const bool as_documented = storage == nullptr && !bound_.back().layout;
  if (is_input && as_documented) upload(input->data);
  if (is_input && !as_documented) upload(kept(bound_.back()));
  if (!is_input) fill(bound_.back());
  return bound_.back();
}

// What the host fills new outputs with, where it does.
void Binding::fill(const Bound& bound) {
  const auto initial = entry_.initial.find(bound.tensor);
  if (initial == entry_.initial.end()) return;
  const std::size_t all = bound.buffer.whole().size_bytes, size = initial->second.size();
  std::vector<std::byte> piece(std::min(all, device::kPieceBytes / size * size));
  for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = initial->second[i % size];
  for (std::size_t begin = 0; begin < all; begin += piece.size())
    device_.upload(bound.buffer.id(), begin, std::span(piece).first(std::min(piece.size(), all - begin)));
}

std::vector<std::byte> Binding::shape_bytes(const ShapeArgument& argument) const {
  const auto input = std::find_if(problem_.inputs.begin(), problem_.inputs.end(),
                                  [&](const Tensor& one) { return one.name == argument.tensor; });
  if (input == problem_.inputs.end())
    throw std::invalid_argument(argument.tensor + ": is no input that has a shape");
  const Layout layout = layout_of(entry_, problem_, *input);
  std::vector<std::byte> bytes;
  const auto add = [&]<class T>(T value) {
    bytes.resize(bytes.size() + sizeof value);
    std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  };
  if (argument.part == ShapeArgument::Part::ndim) add(static_cast<std::int32_t>(layout.shape.size()));
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    if (argument.part == ShapeArgument::Part::shape) add(static_cast<std::int32_t>(layout.shape[i]));
    if (argument.part == ShapeArgument::Part::strides) add(layout.strides[i]);
  }
  return bytes;
}

device::BufferSlice Binding::bind(const PackedArgument& argument, const Dims& dims) {
  PackedBuffer contents = pack_buffer(entry_, argument, dims, problem_.inputs);
  const std::vector<PackedPointer> pointers = contents.pointers;
  const device::BufferSlice memory = keep(std::move(contents));
  for (const PackedPointer& pointer : pointers) {
    const std::size_t number = dispatch_.pointers.size();  // what it leads to may add others
    dispatch_.pointers.push_back({memory.buffer, pointer.at, {}});
    dispatch_.pointers[number].target = bind(*pointer.field, dims);
  }
  return memory;
}

device::BufferSlice Binding::keep(PackedBuffer contents) {
  device::Buffer buffer(device_, contents.bytes.size());
  device_.upload(buffer.id(), 0, contents.bytes);
  packed_.push_back({std::move(contents), std::move(buffer)});
  return packed_.back().buffer.whole();
}

// What a pointer leads to.
device::BufferSlice Binding::bind(const PackedField& pointer, const Dims& dims) {
  const ArgumentEntry& pointee = pointer.pointee->argument;
  if (const auto* packed = std::get_if<PackedArgument>(&pointee)) return bind(*packed, dims);
  if (const auto* scalars = std::get_if<ScalarArgument>(&pointee)) {
    PackedBuffer contents;
    contents.bytes = pack_scalars(entry_, pointer.where + ".pointer", *scalars, dims, problem_.inputs);
    return keep(std::move(contents));
  }
  return bind(tensor_behind(pointer)).buffer.whole();
}

std::vector<std::byte> Binding::kept(const Bound& bound) const {
  const Tensor& input = *bound.input;
  if (bound.layout) return laid_out(input, *bound.layout);
  const Storage& storage = *bound.storage;
  if (input.repeated && input.order != nullptr) return input.data;  // the pattern stands in that order
  const std::size_t block = storage.block_bytes(input.shape);
  if (input.repeated && (block == 0 || input.data.size() % block != 0))
    throw std::invalid_argument(input.name + ": what repeats does not repeat as the kernel keeps it");
  std::vector<std::byte> bytes(input.data.size() / size_of(input.dtype) * size_of(storage.kept(input.dtype)));
  storage.store(input.shape, input.data, bytes);
  return bytes;
}

std::vector<Tensor> Binding::download_outputs() const {
  std::vector<Tensor> outputs;
  for (const OutputSpec& spec : problem_.outputs) {
    const auto bound =
        std::find_if(bound_.begin(), bound_.end(), [&](const Bound& b) { return b.tensor == spec.name; });
    if (bound == bound_.end()) continue;  // optional: resolve_arguments has seen to the others
    Tensor tensor = make_tensor(spec.name, spec.dtype, spec.shape);
    if (bound->storage == nullptr) {
      device_.download(bound->buffer.id(), 0, tensor.data);
    } else {
      std::vector<std::byte> bytes(bound->buffer.whole().size_bytes);
      device_.download(bound->buffer.id(), 0, bytes);
      bound->storage->load(tensor.shape, bytes, tensor.data);
    }
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

std::optional<device::BufferSlice> Binding::output(const std::string& tensor) const {
  for (const Bound& bound : bound_) {
    if (bound.tensor == tensor && bound.output != nullptr) return bound.buffer.whole();
  }
  return std::nullopt;
}

std::map<std::string, std::vector<device::Writer>> Binding::writers(
    const device::LaunchReport& report) const {
  std::map<std::string, std::vector<device::Writer>> of_elements;
  const auto take = [&](const device::BufferSlice& slice, const std::vector<device::Writer>& of_bytes) {
    const auto bound = std::find_if(bound_.begin(), bound_.end(),
                                    [&](const Bound& one) { return one.buffer.id() == slice.buffer; });
    if (bound == bound_.end() || bound->output == nullptr) return;
    auto& of = of_elements[bound->tensor];
    of.clear();
    const Storage* const storage = bound->storage;
    const DType dtype = storage ? storage->kept(bound->output->dtype) : bound->output->dtype;
    const ElementOrder* const order = storage ? storage->order() : nullptr;
    const std::size_t size = size_of(dtype), elements = of_bytes.size() / size;
    for (std::size_t element = 0; element < elements; ++element)
      of.push_back(of_bytes[size * (order ? order->place(bound->output->shape, element) : element)]);
  };
  for (std::size_t i = 0; i < report.writers.size(); ++i) {
    if (const auto* slice = std::get_if<device::BufferSlice>(&dispatch_.arguments.at(i)))
      take(*slice, report.writers[i]);
  }
  for (std::size_t i = 0; i < report.texture_writers.size(); ++i) {
    if (const auto& texture = dispatch_.textures.at(i)) take(texture->memory, report.texture_writers[i]);
  }
  for (std::size_t i = 0; i < report.pointer_writers.size(); ++i)
    take(dispatch_.pointers.at(i).target, report.pointer_writers[i]);
  return of_elements;
}

std::vector<std::string> Binding::changed_inputs() const {
  std::vector<std::string> changed;
  for (const Bound& bound : bound_) {
    if (bound.output != nullptr || bound.input->repeated) continue;  // which nobody can write to
    const bool same = bound.storage || bound.layout ? holds(device_, bound.buffer.id(), kept(bound))
                                                    : holds(device_, bound.buffer.id(), bound.input->data);
    if (!same) changed.push_back(bound.tensor);
  }
  for (const Packed& packed : packed_) {
    const PackedBuffer& contents = packed.contents;
    std::vector<std::byte> now(contents.bytes.size());
    device_.download(packed.buffer.id(), 0, now);
    for (const PackedPointer& pointer : contents.pointers)  // which the device has written
      std::memcpy(now.data() + pointer.at, contents.bytes.data() + pointer.at, device::kPointerBytes);
    if (device::same_bytes(now, contents.bytes)) continue;
    const std::size_t before = changed.size();
    for (const PackedPlace& place : contents.places) {
      if (unpack(place, now) != unpack(place, contents.bytes)) changed.push_back(place.tensor);
    }
    if (changed.size() != before) continue;
    // What is no tensor, such as a size, has no name of its own. A buffer may hold nothing else.
    changed.push_back(contents.places.empty() ? "a buffer that holds no tensor"
                                              : "what lies beside " + contents.places.front().tensor);
  }
  return changed;
}

}  // namespace assay
