#include "harness/draft/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <ctime>

#include "assay/device/registry.hpp"
#include "harness/draft/texture_guess.hpp"
#include "harness/remote/remote_device.hpp"

namespace assay::draft {
namespace {

/// Of every buffer: more than the sizes that are tried have use for.
constexpr std::size_t kRoom = std::size_t{1} << 26;
/// What is zero at first of a buffer that the kernel may write to.
constexpr std::size_t kZeros = std::size_t{1} << 18;

constexpr std::size_t kPage = 4096;

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::vector<std::byte> number_as(const std::string& type, int number) {
  if (type == "float") return bytes_of(static_cast<float>(number));
  const bool half = type == "half";
  if (half || type == "bfloat") {
    const int size = std::abs(number);  // 0, 1 or 3
    const std::uint16_t bits = size == 0   ? 0
                               : size == 1 ? (half ? 0x3C00 : 0x3F80)
                                           : (half ? 0x4200 : 0x4040);
    return bytes_of<std::uint16_t>(static_cast<std::uint16_t>(bits | (number < 0 ? 0x8000 : 0)));
  }
  std::vector<std::byte> bytes(bytes_of_type(type), number < 0 ? std::byte{0xFF} : std::byte{0});
  if (type == "bool")
    bytes[0] = std::byte{number != 0};
  else if (number >= 0)
    std::memcpy(bytes.data(), &number, std::min(bytes.size(), sizeof number));
  return bytes;
}

/// So many elements that a device can repeat them without writing each.
std::vector<std::byte> page_of(const std::string& type, bool wide, Contents::Of contents) {
  using Of = Contents::Of;
  const int of_all = contents == Of::zeros        ? 0
                     : contents == Of::threes     ? 3
                     : contents == Of::minus_ones ? -1
                                                  : 1;
  // Halves count as far as number_as() does.
  const bool counts = contents == Of::counting && type != "half" && type != "bfloat" && type != "bool";
  std::vector<std::byte> page;
  for (int i = 0; page.size() < kPage; ++i) {
    const auto one = number_as(type, counts ? i : of_all);
    page.insert(page.end(), one.begin(), one.end());
    if (wide) page.insert(page.end(), one.size(), std::byte{0});
  }
  return page;
}

void append(std::vector<std::byte>& all, const MeasuredArgument::Value& value, const Dims& dims) {
  std::vector<std::byte> bytes;
  if (value.type == "float") {
    const Fraction exact = value.value.evaluate(dims);
    bytes = bytes_of(
        static_cast<float>(static_cast<double>(exact.numerator) / static_cast<double>(exact.denominator)));
  } else {
    bytes = bytes_of(value.value.evaluate_integer(dims));
    bytes.resize(bytes_of_type(value.type));
  }
  all.resize((all.size() + bytes.size() - 1) / bytes.size() * bytes.size());
  all.insert(all.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::size_t bytes_of_type(const std::string& type) {
  if (type == "char" || type == "uchar" || type == "bool") return 1;
  if (type == "half" || type == "bfloat" || type == "short" || type == "ushort") return 2;
  return type == "long" || type == "ulong" ? 8 : 4;
}

Probe::Probe(const MeasureRequest& request, double limit_s, device::Mode mode)
    : request_(request), limit_s_(limit_s) {
  device::DeviceOptions options;
  options.mode = mode;
  options.only_reach = true;
  device_ = remote::make_remote(device::kDefaultDevice, options);
  kernel_ = device_->load(request.source);
}

Probe::~Probe() = default;

bool Probe::in_time() {
  const double now_s = static_cast<double>(std::clock()) / CLOCKS_PER_SEC + remote::processor_s_of_kernels();
  if (!begun_s_) begun_s_ = now_s;
  late_ |= now_s - *begun_s_ > limit_s_;
  return now_s - *begun_s_ <= limit_s_;
}

std::optional<std::vector<Reach>> Probe::run(const Dims& dims, const device::Size3& grid,
                                             const Contents& contents) {
  std::string key = fmt::format("{},{},{},{},{}", grid.x, grid.y, grid.z, static_cast<int>(contents.of),
                                contents.only ? static_cast<long>(*contents.only) : -1L);
  for (const auto& [name, size] : dims) key += fmt::format(",{}={}", name, size);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  if (!in_time()) return std::nullopt;
  return known_[key] = launch(dims, grid, contents);
}

device::Argument Probe::bind(std::size_t index, const Dims& dims, Contents::Of contents,
                             std::vector<device::BufferId>& made) {
  const MeasuredArgument& argument = request_.arguments[index];
  if (!argument.bound) return std::monostate{};
  if (!argument.fields.empty()) {
    std::vector<std::byte> bytes((argument.size + 15) / 16 * 16);
    for (const auto& field : argument.fields) {
      std::vector<std::byte> value;
      if (field.value) append(value, *field.value, dims);
      std::copy(value.begin(), value.end(), bytes.begin() + static_cast<std::ptrdiff_t>(field.offset));
    }
    return filled(bytes, made);
  }
  if (!argument.buffer) {
    device::InlineBytes value;
    for (const auto& one : argument.values) append(value.bytes, one, dims);
    value.bytes.resize((value.bytes.size() + 15) / 16 * 16);
    return value;
  }
  std::size_t room = kRoom;
  if (!argument.told_shape.empty()) {
    room = bytes_of_type(argument.type);
    for (const Expression& axis : argument.told_shape)
      room *= static_cast<std::size_t>(std::max<std::int64_t>(1, axis.evaluate_integer(dims)));
    room = std::min(room, kRoom);
  }
  if (argument.told_values) contents = Contents::Of::ones;
  return device::BufferSlice{memory(index, argument.type, argument.writable, contents, room, made), 0, room};
}

device::BufferSlice Probe::filled(const std::vector<std::byte>& bytes, std::vector<device::BufferId>& made) {
  made.push_back(device_->allocate(bytes.size()));
  device_->upload(made.back(), 0, bytes);
  return {made.back(), 0, bytes.size()};
}

std::map<std::size_t, std::size_t> Probe::bind_all(device::Dispatch& launch, const Dims& dims,
                                                   const Contents& contents,
                                                   std::vector<device::BufferId>& made) {
  std::vector<device::BufferSlice> slices;
  for (std::size_t i = 0; i < request_.arguments.size(); ++i) {
    device::Argument one = bind(i, dims, contents.at(i), made);
    const auto* value = std::get_if<device::InlineBytes>(&one);
    if (value != nullptr && i >= request_.indices) one = filled(value->bytes, made);
    const auto* slice = std::get_if<device::BufferSlice>(&one);
    slices.push_back(slice == nullptr ? device::BufferSlice{} : *slice);
    if (i < request_.indices) launch.arguments.push_back(std::move(one));
  }
  std::map<std::size_t, std::size_t> leads;
  for (std::size_t i = 0; i < request_.arguments.size(); ++i) {
    for (const auto& field : request_.arguments[i].fields) {
      if (field.value) continue;
      leads[field.leads_to] = launch.pointers.size();
      launch.pointers.push_back({slices[i].buffer, field.offset, slices.at(field.leads_to)});
    }
  }
  return leads;
}

std::optional<device::Texture> Probe::bind_texture(std::size_t index, const Dims& dims, Contents::Of contents,
                                                   std::vector<device::BufferId>& made) {
  const MeasuredTexture& texture = request_.textures[index];
  if (!texture.bound) return std::nullopt;
  device::TextureShape shape{.format = texture.format};
  std::uint32_t* const sides[] = {&shape.width, &shape.height,
                                  texture.kind == TextureKind::three_d ? &shape.depth : &shape.layers};
  for (std::size_t i = 0; i < texture.extents.size(); ++i) {
    const auto side = texture.extents[texture.extents.size() - 1 - i].evaluate_integer(dims);
    *sides[i] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(side, 1, 2048));
  }
  const std::size_t bytes = device::texture_bytes(shape);
  if (bytes > kRoom) return std::nullopt;
  const std::size_t number = request_.arguments.size() + index;
  const auto texels =
      memory(number, type_of_channels(texture.format), texture.writable, contents, kRoom, made);
  return device::Texture{{texels, 0, bytes}, shape};
}

device::BufferId Probe::memory(std::size_t number, const std::string& type, bool writable,
                               Contents::Of contents, std::size_t room, std::vector<device::BufferId>& made) {
  const bool usual = contents == Contents::Of::ones;
  const bool stays = room == kRoom && !writable && usual;  // as it is, from launch to launch
  const bool whole = type != "float" && type != "half" && type != "bfloat";
  if (request_.zeros && whole && usual) contents = Contents::Of::zeros;
  if (const auto kept = inputs_.find(number); stays && kept != inputs_.end()) return kept->second;
  const auto buffer = room == kRoom ? device_->allocate_sparse(kRoom) : device_->allocate(room);
  if (stays) {
    inputs_[number] = buffer;
  } else {
    made.push_back(buffer);
  }
  const bool wide = number < request_.arguments.size() && request_.arguments[number].wide;
  if (writable) {
    device_->upload(buffer, 0, std::vector<std::byte>(std::min(room, kZeros)));
  } else if (room == kRoom) {
    device_->upload_repeated(buffer, 0, kRoom, page_of(type, wide, contents));
  } else {
    auto bytes = page_of(type, wide, contents);
    while (bytes.size() < room) bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + kPage);
    bytes.resize(room);
    device_->upload(buffer, 0, bytes);
  }
  return buffer;
}

device::LaunchReport Probe::dispatch(device::Dispatch& launch, const Dims& dims, const device::Size3& grid,
                                     const Contents& contents, std::vector<device::BufferId>& made) {
  launch.kernel = kernel_;
  for (std::size_t i = 0; i < request_.textures.size(); ++i)
    launch.textures.push_back(bind_texture(i, dims, contents.at(request_.arguments.size() + i), made));
  launch.samplers.assign(request_.samplers.begin(), request_.samplers.end());
  for (const auto& bytes : request_.threadgroup_memory)
    launch.threadgroup_bytes.push_back(static_cast<std::size_t>(bytes.evaluate_integer(dims)));
  launch.grid = grid;
  launch.grid_in_threads = request_.in_threads;
  launch.threads_per_threadgroup = request_.threads;
  launch.resident_threadgroups = request_.resident_threadgroups;
  return device_->dispatch(launch);
}

std::optional<std::vector<device::Fault>> Probe::faults(const Dims& dims, const device::Size3& grid,
                                                        const Contents& contents) {
  if (!in_time()) return std::nullopt;
  std::vector<device::BufferId> made;
  std::optional<std::vector<device::Fault>> found;
  try {
    device::Dispatch launch;
    bind_all(launch, dims, contents, made);
    found = dispatch(launch, dims, grid, contents, made).faults;
  } catch (const std::exception&) {  // it cannot be launched: nothing is known
  }
  for (const auto buffer : made) device_->release(buffer);
  return found;
}

std::optional<std::string> Probe::fault_inside() {
  Dims dims;
  for (const auto& one : request_.dimensions) dims[one.name] = one.size;
  const auto all = faults(dims, request_.in_threads ? request_.threads : device::Size3{1, 1, 1});
  if (!all) return std::nullopt;
  for (const auto& fault : *all) {
    using device::FaultKind;
    const bool of_buffer =
        std::any_of(request_.arguments.begin(), request_.arguments.end(),
                    [&](const auto& one) { return one.buffer && fault.object == one.name; });
    const bool inside = fault.kind == FaultKind::race || fault.kind == FaultKind::divergent_barrier ||
                        (!of_buffer && (fault.kind == FaultKind::uninitialised_read ||
                                        fault.kind == FaultKind::out_of_bounds));
    if (inside) return fault.message;
  }
  return "";
}

std::optional<std::vector<Reach>> Probe::launch(const Dims& dims, const device::Size3& grid,
                                                const Contents& contents) {
  std::vector<device::BufferId> made;
  std::optional<std::vector<Reach>> reach;
  try {
    device::Dispatch launch;
    const auto leads = bind_all(launch, dims, contents, made);
    const std::size_t buffers = request_.arguments.size();
    const auto report = dispatch(launch, dims, grid, contents, made);
    if (!report.clean()) {
      if (fault_.empty()) fault_ = report.faults.front().message;
    } else if (report.counts) {
      reach.emplace(buffers + request_.textures.size());
      // Counted by buffer index, by texture index, and then behind each pointer.
      const std::size_t textures = request_.textures.size();
      for (std::size_t i = 0; i < reach->size(); ++i) {
        const bool texture = i >= buffers;
        const std::size_t at = texture                ? i - buffers + request_.indices
                               : i < request_.indices ? i
                                                      : request_.indices + textures + leads.at(i);
        if (at >= report.counts->buffers.size()) continue;
        const auto& traffic = report.counts->buffers[at];
        if (!texture && !request_.arguments[i].buffer) continue;
        const std::size_t size = texture ? device::texel_bytes(request_.textures[i - buffers].format)
                                         : bytes_of_type(request_.arguments[i].type);
        const bool filled = texture && launch.textures[i - buffers] &&
                            traffic.stored_bytes >= launch.textures[i - buffers]->memory.size_bytes;
        (*reach)[i] = {(traffic.end_bytes + size - 1) / size, traffic.loaded_bytes > 0,
                       traffic.stored_bytes > 0, filled, traffic.stored_bytes};
      }
    }
  } catch (const std::exception& error) {
    if (fault_.empty()) fault_ = error.what();
  }
  for (const auto buffer : made) device_->release(buffer);
  return reach;
}

}  // namespace assay::draft
