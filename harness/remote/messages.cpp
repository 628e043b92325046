#include "harness/remote/messages.hpp"

#include <charconv>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/remote/fault_json.hpp"
#include "harness/remote/json_parts.hpp"

namespace assay::remote {
namespace {

using nlohmann::json;

json to_json(const device::Size3& size) { return {size.x, size.y, size.z}; }

device::Size3 size_from(const json& from) {
  return {from.at(0).get<std::uint32_t>(), from.at(1).get<std::uint32_t>(), from.at(2).get<std::uint32_t>()};
}

json to_json(const device::BufferSlice& slice) {
  return {static_cast<std::uint32_t>(slice.buffer), slice.offset_bytes, slice.size_bytes};
}

device::BufferSlice slice_from(const json& from) {
  return {static_cast<device::BufferId>(from.at(0).get<std::uint32_t>()), from.at(1).get<std::size_t>(),
          from.at(2).get<std::size_t>()};
}

json to_json(const device::Argument& argument) {
  if (const auto* slice = std::get_if<device::BufferSlice>(&argument)) return {{"slice", to_json(*slice)}};
  json bytes = json::array();
  if (const auto* value = std::get_if<device::InlineBytes>(&argument)) {
    for (const std::byte one : value->bytes) bytes.push_back(static_cast<unsigned>(one));
    return {{"bytes", bytes}};
  }
  return nullptr;
}

device::Argument argument_from(const json& from) {
  if (from.is_null()) return std::monostate{};
  if (from.contains("slice")) return slice_from(from.at("slice"));
  device::InlineBytes value;
  for (const auto& one : from.at("bytes"))
    value.bytes.push_back(static_cast<std::byte>(one.get<std::uint8_t>()));
  return value;
}

json to_json(const device::Texture& texture) {
  const auto& shape = texture.shape;
  return {{"memory", to_json(texture.memory)},
          {"format", static_cast<std::uint32_t>(shape.format)},
          {"extents", {shape.width, shape.height, shape.depth, shape.layers}}};
}

device::Texture texture_from(const json& from) {
  const auto extents = from.at("extents").get<std::array<std::uint32_t, 4>>();
  return {slice_from(from.at("memory")),
          {static_cast<device::TextureFormat>(from.at("format").get<std::uint32_t>()), extents[0], extents[1],
           extents[2], extents[3]}};
}

json to_json(const device::Sampler& sampler) {
  return {{"linear", sampler.linear}, {"pixels", sampler.pixels}, {"wrap", sampler.wrap}};
}

device::Sampler sampler_from(const json& from) {
  return {from.at("linear").get<bool>(), from.at("pixels").get<bool>(),
          from.at("wrap").get<std::array<device::TextureWrap, 3>>()};
}

template <class T, class One>
std::vector<std::optional<T>> optionals_from(const json& from, const One& one_from) {
  std::vector<std::optional<T>> all;
  for (const auto& one : from) all.push_back(one.is_null() ? std::nullopt : std::optional<T>(one_from(one)));
  return all;
}

// Neighbouring bytes mostly have one writer: [times, threadgroup, simdgroup].
json to_json(const std::vector<device::Writer>& writers) {
  json runs = json::array();
  for (std::size_t i = 0; i < writers.size();) {
    std::size_t end = i;
    while (end < writers.size() && writers[end] == writers[i]) ++end;
    runs.push_back({end - i, writers[i].threadgroup, writers[i].simdgroup});
    i = end;
  }
  return runs;
}

std::vector<device::Writer> writers_from(const json& runs, std::size_t size_bytes) {
  std::vector<device::Writer> writers;
  for (const auto& run : runs) {
    const auto times = run.at(0).get<std::size_t>();
    if (times > size_bytes - writers.size())
      throw std::invalid_argument("writers of bytes that are not bound");
    writers.resize(writers.size() + times, {run.at(1).get<std::uint32_t>(), run.at(2).get<std::uint32_t>()});
  }
  return writers;
}

// `size_of(i)`: the bytes of the i-th of them.
template <class SizeOf>
std::vector<std::vector<device::Writer>> all_writers_from(const json& from, std::size_t most,
                                                          const SizeOf& size_of) {
  if (from.size() > most) throw std::invalid_argument("writers of what is not bound");
  std::vector<std::vector<device::Writer>> all;
  for (std::size_t i = 0; i < from.size(); ++i) all.push_back(writers_from(from[i], size_of(i)));
  return all;
}

json to_json(const device::Traffic& one) {
  return {one.name,         one.size_bytes, one.loaded_bytes, one.stored_bytes,
          one.loaders,      one.writers,    one.end_bytes,    one.distinct_bytes,
          one.fewest_loads, one.most_loads, one.transactions, one.transaction_bytes};
}

device::Traffic traffic_from(const json& from) {
  const auto number = [&](std::size_t i) { return from.at(i).get<std::uint64_t>(); };
  const auto small = [&](std::size_t i) { return from.at(i).get<std::uint32_t>(); };
  return {from.at(0).get<std::string>(),
          number(1),
          number(2),
          number(3),
          small(4),
          small(5),
          number(6),
          number(7),
          small(8),
          small(9),
          number(10),
          number(11)};
}

json to_json(const device::Counts& counts) {
  const auto traffic = [](const auto& one) { return to_json(one); };
  return {{"threads", counts.threads},
          {"threadgroups", counts.threadgroups},
          {"barriers", counts.threadgroup_barriers},
          {"simdgroups",
           list_to_json(
               counts.simdgroups,
               [](const device::SimdgroupWork& one) {
                 return json{one.barriers, one.matrix_loads, one.matrix_stores, one.matrix_multiplications};
               })},
          {"buffers", list_to_json(counts.buffers, traffic)},
          {"threadgroup_memory", list_to_json(counts.threadgroup_memory, traffic)}};
}

device::Counts counts_from(const json& from) {
  device::Counts counts;
  counts.threads = from.at("threads").get<std::uint32_t>();
  counts.threadgroups = from.at("threadgroups").get<std::uint64_t>();
  counts.threadgroup_barriers = from.at("barriers").get<std::uint64_t>();
  for (const auto& one : from.at("simdgroups")) {
    const auto work = one.get<std::array<std::uint64_t, 4>>();
    counts.simdgroups.push_back({work[0], work[1], work[2], work[3]});
  }
  for (const auto& one : from.at("buffers")) counts.buffers.push_back(traffic_from(one));
  for (const auto& one : from.at("threadgroup_memory"))
    counts.threadgroup_memory.push_back(traffic_from(one));
  return counts;
}

// There may be thousands of decisions and steps, thousands of times: each list is one text of numbers, not as
// many values of JSON.
std::string text_of(std::span<const std::uint64_t> numbers) {
  std::string text(numbers.size() * 17, ' ');
  char* end = text.data();
  for (const std::uint64_t one : numbers) end = std::to_chars(end, end + 16, one, 16).ptr + 1;
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

std::vector<std::uint64_t> numbers_from(const std::string& text) {
  std::vector<std::uint64_t> numbers;
  const char* at = text.data();
  for (const char* const end = at + text.size(); at != end; ++at) {
    const auto [behind, error] = std::from_chars(at, end, numbers.emplace_back(), 16);
    if (error != std::errc() || behind == end || *behind != ' ')
      throw std::invalid_argument("no list of numbers");
    at = behind;
  }
  return numbers;
}

}  // namespace

json to_json(const device::Dispatch& launch) {
  const auto one_of = [](const auto& one) { return one ? to_json(*one) : json(); };
  return {{"kernel", static_cast<std::uint32_t>(launch.kernel)},
          {"arguments", list_to_json(launch.arguments, [](const auto& one) { return to_json(one); })},
          {"threadgroup_bytes", launch.threadgroup_bytes},
          {"grid", to_json(launch.grid)},
          {"grid_in_threads", launch.grid_in_threads},
          {"threads", to_json(launch.threads_per_threadgroup)},
          {"schedule", launch.schedule},
          {"resident", launch.resident_threadgroups},
          {"odd_variable", optional_to_json(launch.odd_variable)},
          {"sample", list_to_json(launch.sample, [](const auto& one) { return to_json(one); })},
          {"textures", list_to_json(launch.textures, one_of)},
          {"samplers", list_to_json(launch.samplers, one_of)},
          {"pointers", list_to_json(launch.pointers, [](const device::BufferPointer& one) {
             return json{static_cast<std::uint32_t>(one.holder), one.offset_bytes, to_json(one.target)};
           })}};
}

device::Dispatch dispatch_from(const json& from) {
  device::Dispatch launch;
  launch.kernel = static_cast<device::KernelId>(from.at("kernel").get<std::uint32_t>());
  for (const auto& one : from.at("arguments")) launch.arguments.push_back(argument_from(one));
  launch.threadgroup_bytes = from.at("threadgroup_bytes").get<std::vector<std::size_t>>();
  launch.grid = size_from(from.at("grid"));
  launch.grid_in_threads = from.at("grid_in_threads").get<bool>();
  launch.threads_per_threadgroup = size_from(from.at("threads"));
  launch.schedule = from.at("schedule").get<std::uint64_t>();
  launch.resident_threadgroups = from.at("resident").get<std::uint32_t>();
  launch.odd_variable = optional_from<std::uint32_t>(from.at("odd_variable"));
  for (const auto& one : from.at("sample")) launch.sample.push_back(size_from(one));
  launch.textures = optionals_from<device::Texture>(from.at("textures"), texture_from);
  launch.samplers = optionals_from<device::Sampler>(from.at("samplers"), sampler_from);
  for (const auto& one : from.at("pointers"))
    launch.pointers.push_back({static_cast<device::BufferId>(one.at(0).get<std::uint32_t>()),
                               one.at(1).get<std::size_t>(), slice_from(one.at(2))});
  return launch;
}

json to_json(const device::LaunchReport& report) {
  const auto writers = [](const auto& one) { return to_json(one); };
  json said = json::object();
  if (report.kernel_invocations) said["invocations"] = *report.kernel_invocations;
  // Most launches have nothing to tell.
  if (!report.faults.empty()) said["faults"] = list_to_json(report.faults, fault_message);
  if (!report.undefined.empty()) said["undefined"] = list_to_json(report.undefined, fault_message);
  if (!report.old_values.empty())
    said["old_values"] = list_to_json(report.old_values, [](const auto& one) { return to_json(one); });
  if (!report.inactive_reads.empty())
    said["inactive_reads"] =
        list_to_json(report.inactive_reads, [](const auto& one) { return to_json(one); });
  if (!report.writers.empty()) said["writers"] = list_to_json(report.writers, writers);
  if (!report.texture_writers.empty())
    said["texture_writers"] = list_to_json(report.texture_writers, writers);
  if (!report.pointer_writers.empty())
    said["pointer_writers"] = list_to_json(report.pointer_writers, writers);
  if (!report.conditions.empty()) said["conditions"] = report.conditions;
  if (report.counts) said["counts"] = to_json(*report.counts);
  return said;
}

device::LaunchReport report_from(const json& claim, const device::Dispatch& launch) {
  device::LaunchReport report;
  if (claim.contains("invocations")) report.kernel_invocations = claim.at("invocations").get<std::uint64_t>();
  for (const auto& one : claim.value("faults", json::array())) report.faults.push_back(fault_in(one));
  for (const auto& one : claim.value("undefined", json::array())) report.undefined.push_back(fault_in(one));
  for (const auto& one : claim.value("old_values", json::array()))
    report.old_values.push_back(old_value_from(one));
  for (const auto& one : claim.value("inactive_reads", json::array()))
    report.inactive_reads.push_back(inactive_read_from(one));
  const auto bytes_of_argument = [&](std::size_t i) -> std::size_t {
    if (const auto* slice = std::get_if<device::BufferSlice>(&launch.arguments[i])) return slice->size_bytes;
    const auto* value = std::get_if<device::InlineBytes>(&launch.arguments[i]);
    return value == nullptr ? 0 : value->bytes.size();
  };
  const auto bytes_of_texture = [&](std::size_t i) -> std::size_t {
    return launch.textures[i] ? launch.textures[i]->memory.size_bytes : 0;
  };
  const auto bytes_of_target = [&](std::size_t i) { return launch.pointers[i].target.size_bytes; };
  report.writers =
      all_writers_from(claim.value("writers", json::array()), launch.arguments.size(), bytes_of_argument);
  report.texture_writers = all_writers_from(claim.value("texture_writers", json::array()),
                                            launch.textures.size(), bytes_of_texture);
  report.pointer_writers = all_writers_from(claim.value("pointer_writers", json::array()),
                                            launch.pointers.size(), bytes_of_target);
  if (claim.contains("conditions"))
    report.conditions = claim.at("conditions").get<std::vector<std::uint8_t>>();
  if (claim.contains("counts"))
    report.counts = std::make_shared<const device::Counts>(counts_from(claim.at("counts")));
  return report;
}

json to_json(const device::SchedulePlan& plan) {
  std::vector<std::uint64_t> decisions;
  for (const auto& one : plan.decisions) decisions.insert(decisions.end(), {one.threadgroup, one.value});
  return {{"order", static_cast<unsigned>(plan.order)},
          {"which", plan.which},
          {"after", plan.after},
          {"decisions", text_of(decisions)},
          {"asleep", plan.asleep},
          {"fences_count", plan.fences_count}};
}

device::SchedulePlan plan_from(const json& from) {
  device::SchedulePlan plan;
  plan.order = static_cast<device::SchedulePlan::Order>(from.at("order").get<std::uint8_t>());
  plan.which = from.at("which").get<std::uint64_t>();
  plan.after = from.at("after").get<std::uint64_t>();
  const auto decisions = numbers_from(from.at("decisions").get<std::string>());
  for (std::size_t i = 0; i < decisions.size(); i += 2)
    plan.decisions.push_back({decisions.at(i), decisions.at(i + 1)});
  plan.asleep = from.at("asleep").get<std::uint64_t>();
  plan.fences_count = from.at("fences_count").get<bool>();
  return plan;
}

json to_json(const device::ScheduleRecord& record) {
  std::vector<std::uint64_t> steps;
  for (const auto& one : record.steps) {
    steps.insert(steps.end(),
                 {one.threadgroup, one.value, one.values, one.able, one.sleep, one.touches.size()});
    for (const auto& touch : one.touches) steps.insert(steps.end(), {touch.address, touch.writes ? 1U : 0U});
  }
  return {{"steps", text_of(steps)}, {"redundant", record.redundant}, {"diverged", record.diverged}};
}

device::ScheduleRecord record_from(const json& claim) {
  device::ScheduleRecord record;
  const auto numbers = numbers_from(claim.at("steps").get<std::string>());
  std::span<const std::uint64_t> left(numbers);
  const auto take = [&](std::size_t count) {
    if (count > left.size()) throw std::invalid_argument("a step without an end");
    const auto taken = left.first(count);
    left = left.subspan(count);
    return taken;
  };
  while (!left.empty()) {
    const auto said = take(6);
    const std::uint64_t threadgroup = said[0], able = said[3], touches = said[5];
    if (threadgroup >= device::PlannedSchedule::kMostExplored || said[2] == 0 ||
        (able >> threadgroup & 1) == 0 || touches > left.size())
      throw std::invalid_argument("a step of a threadgroup that could not go on");
    device::Step step{static_cast<std::uint32_t>(threadgroup), said[1], said[2], {}, able, said[4]};
    const auto pairs = take(2 * touches);
    for (std::size_t i = 0; i < pairs.size(); i += 2) step.touches.push_back({pairs[i], pairs[i + 1] != 0});
    record.steps.push_back(std::move(step));
  }
  record.redundant = claim.at("redundant").get<bool>();
  record.diverged = claim.at("diverged").get<bool>();
  return record;
}

}  // namespace assay::remote
