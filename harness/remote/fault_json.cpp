#include "harness/remote/fault_json.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "assay/verdict.hpp"
#include "harness/remote/json_parts.hpp"

namespace assay::remote {
namespace {

using nlohmann::json;

json to_json(const device::SourcePlace& place) { return {{"file", place.file}, {"line", place.line}}; }

device::SourcePlace place_from(const json& place) {
  return {place.at("file").get<std::string>(), place.at("line").get<std::uint32_t>()};
}

json to_json(const device::Access& access) {
  return {{"what", access.what},
          {"place", to_json(access.place)},
          {"write", optional_to_json(access.write)},
          {"agent", access.agent},
          {"thread", optional_to_json(access.thread)},
          {"simdgroup", optional_to_json(access.simdgroup)},
          {"lane", optional_to_json(access.lane)}};
}

device::Access access_from(const json& access) {
  return {access.at("what").get<std::string>(),
          place_from(access.at("place")),
          optional_from<bool>(access.at("write")),
          access.at("agent").get<std::string>(),
          optional_from<std::uint32_t>(access.at("thread")),
          optional_from<std::uint32_t>(access.at("simdgroup")),
          optional_from<std::uint32_t>(access.at("lane"))};
}

json to_json(const device::PassedBarrier& barrier) {
  return {{"simdgroup", optional_to_json(barrier.simdgroup)},
          {"orders_device", barrier.orders_device},
          {"orders_threadgroup", barrier.orders_threadgroup},
          {"place", to_json(barrier.place)},
          {"count", barrier.count},
          {"between", barrier.between}};
}

device::PassedBarrier barrier_from(const json& barrier) {
  return {optional_from<std::uint32_t>(barrier.at("simdgroup")),
          barrier.at("orders_device").get<bool>(),
          barrier.at("orders_threadgroup").get<bool>(),
          place_from(barrier.at("place")),
          barrier.at("count").get<std::uint64_t>(),
          barrier.at("between").get<bool>()};
}

constexpr std::array kKinds = {device::FaultKind::race,
                               device::FaultKind::out_of_bounds,
                               device::FaultKind::misaligned,
                               device::FaultKind::crash,
                               device::FaultKind::divergent_barrier,
                               device::FaultKind::deadlock,
                               device::FaultKind::over_budget,
                               device::FaultKind::needs_residency,
                               device::FaultKind::uninitialised_read,
                               device::FaultKind::undefined};

device::FaultKind kind_from(const std::string& name) {
  for (const auto kind : kKinds) {
    if (assay::name_of(verdict_of(kind)) == name) return kind;
  }
  throw std::invalid_argument("no kind of fault: " + name);
}

}  // namespace

json to_json(const device::Fault& fault) {
  return {{"kind", assay::name_of(verdict_of(fault.kind))},
          {"message", fault.message},
          {"place", to_json(fault.place)},
          {"count", fault.count},
          {"scope", fault.scope},
          {"accesses", list_to_json(fault.accesses, [](const auto& one) { return to_json(one); })},
          {"barriers", list_to_json(fault.barriers, [](const auto& one) { return to_json(one); })},
          {"more_barriers", fault.more_barriers},
          {"object", fault.object},
          {"stray", fault.stray}};
}

device::Fault fault_from(const json& from) {
  device::Fault fault;
  fault.kind = kind_from(from.at("kind").get<std::string>());
  fault.message = from.at("message").get<std::string>();
  fault.place = place_from(from.at("place"));
  fault.count = from.at("count").get<std::uint64_t>();
  fault.scope = from.at("scope").get<unsigned>();
  for (const auto& one : from.at("accesses")) fault.accesses.push_back(access_from(one));
  for (const auto& one : from.at("barriers")) fault.barriers.push_back(barrier_from(one));
  fault.more_barriers = from.at("more_barriers").get<bool>();
  fault.object = from.value("object", "");
  fault.stray = from.value("stray", false);
  return fault;
}

json to_json(const device::OldValue& old) {
  return {{"object", old.object},
          {"load", to_json(old.load)},
          {"change", to_json(old.change)},
          {"count", old.count}};
}

device::OldValue old_value_from(const json& old) {
  return {old.at("object").get<std::string>(), access_from(old.at("load")), access_from(old.at("change")),
          old.at("count").get<std::uint64_t>()};
}

json to_json(const device::InactiveRead& read) {
  return {{"read", to_json(read.read)}, {"lane", read.lane}, {"order", read.order}};
}

device::InactiveRead inactive_read_from(const json& from) {
  return {access_from(from.at("read")), from.at("lane").get<std::uint32_t>(),
          from.at("order").get<std::uint64_t>()};
}

json fault_message(const device::Fault& fault) {
  return {{"type", "seen"},
          {"what", to_json(fault)},
          {"moment", fault.moment},
          {"variable", optional_to_json(fault.variable)},
          {"same_value", fault.same_value}};
}

device::Fault fault_in(const json& message) {
  device::Fault fault = fault_from(message.at("what"));
  fault.moment = message.at("moment").get<std::uint64_t>();
  fault.variable = optional_from<std::uint32_t>(message.at("variable"));
  fault.same_value = message.at("same_value").get<bool>();
  return fault;
}

}  // namespace assay::remote
