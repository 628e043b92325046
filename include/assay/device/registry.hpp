// The devices of a program, by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/device.hpp"
#include "assay/device/options.hpp"

namespace assay::device {

/// What kernels run on where nothing else is said: the simulated GPU.
inline constexpr std::string_view kDefaultDevice = "simulated";

/// Makes a device. Throws std::invalid_argument for options that it cannot do without (a mode that it lacks).
using DeviceMaker = std::function<std::unique_ptr<Device>(const DeviceOptions&)>;

/// Makes a device known under its name, for as long as the program runs. Defined at namespace scope, in a
/// source file that is part of the program:
///
///   const RegisterDevice kCounting("counting", "the simulated GPU, and how often it is used",
///                                  [](const DeviceOptions& options) { return
///                                  std::make_unique<Counting>(options); });
///
/// `about` is one line for people. A name that is taken already ends the program with a line that says so.
class RegisterDevice {
 public:
  RegisterDevice(std::string name, std::string about, DeviceMaker make);
};

/// Throws std::invalid_argument that lists the names there are, and what the device's maker throws.
std::unique_ptr<Device> make_device(std::string_view name, const DeviceOptions& options);

struct DeviceName {
  std::string name, about;
};
/// By name.
std::vector<DeviceName> devices();

}  // namespace assay::device
