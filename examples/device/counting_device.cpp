#include "counting_device.hpp"

namespace {

using namespace assay::device;

const RegisterDevice kCounting("counting", "the simulated GPU, with its traffic counted",
                               [](const DeviceOptions& options) {
                                 return std::make_unique<CountingDevice>(
                                     make_device(kDefaultDevice, options));
                               });

}  // namespace
