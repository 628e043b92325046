#include "assay/device/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <utility>

namespace assay::device {
namespace {

struct Registered {
  std::string about;
  DeviceMaker make;
};

// Made by the first that registers, whichever file the linker puts first.
std::map<std::string, Registered, std::less<>>& registered() {
  static std::map<std::string, Registered, std::less<>> all;
  return all;
}

}  // namespace

RegisterDevice::RegisterDevice(std::string name, std::string about, DeviceMaker make) {
  if (registered().try_emplace(name, Registered{std::move(about), std::move(make)}).second) return;
  // Before main() there is nobody to catch anything.
  fmt::print(stderr, "assay: two devices are named \"{}\"; rename one of them\n", name);
  std::exit(2);
}

std::unique_ptr<Device> make_device(std::string_view name, const DeviceOptions& options) {
  const auto found = registered().find(name);
  if (found != registered().end()) return found->second.make(options);
  std::vector<std::string> names;
  for (const auto& one : devices()) names.push_back(one.name);
  throw std::invalid_argument(
      fmt::format("there is no device \"{}\"; there are {}", name, fmt::join(names, ", ")));
}

std::vector<DeviceName> devices() {
  std::vector<DeviceName> all;
  for (const auto& [name, one] : registered()) all.push_back({name, one.about});
  return all;
}

}  // namespace assay::device
