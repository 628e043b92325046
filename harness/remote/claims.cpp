#include "harness/remote/claims.hpp"

#include <algorithm>
#include <stdexcept>

#include "harness/device/source_text.hpp"

namespace assay::remote {
namespace {

constexpr std::size_t kLongestText = 4096, kMostFaults = 65536;

void check(device::SourcePlace& place) {
  if (!place.file.empty() && device::source_text(place.file).empty()) place = {};
}

void check(device::Access& access) {
  access.what = shown_text(std::move(access.what));
  access.agent = shown_text(std::move(access.agent));
  check(access.place);
}

void check(device::Fault& fault) {
  fault.message = shown_text(std::move(fault.message));
  fault.object = shown_text(std::move(fault.object));
  check(fault.place);
  for (auto& access : fault.accesses) check(access);
  for (auto& barrier : fault.barriers) check(barrier.place);
}

}  // namespace

std::string shown_text(std::string text) {
  text.resize(std::min(text.size(), kLongestText));
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
  return text;
}

device::LaunchReport checked_claim(device::LaunchReport report) {
  if (std::max({report.faults.size(), report.undefined.size(), report.old_values.size(),
                report.inactive_reads.size()}) > kMostFaults)
    throw std::invalid_argument("more faults than a launch can have");
  for (auto* faults : {&report.faults, &report.undefined}) {
    for (auto& fault : *faults) check(fault);
  }
  for (auto& old : report.old_values) {
    old.object = shown_text(std::move(old.object));
    check(old.load);
    check(old.change);
  }
  for (auto& read : report.inactive_reads) check(read.read);
  return report;
}

std::vector<device::ByteRange> ranges_from(const nlohmann::json& claim, const device::ByteRange& within) {
  std::vector<device::ByteRange> ranges;
  std::size_t end = within.begin;
  for (const auto& one : claim) {
    const device::ByteRange range{one.at(0).get<std::size_t>(), one.at(1).get<std::size_t>()};
    if (range.begin < end || range.end <= range.begin || range.end > within.end)
      throw std::invalid_argument("no ranges of a buffer");
    end = range.end;
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace assay::remote
