// A googlemock of the device interface, for tests of host code that launches kernels.
#pragma once

#include "harness/device/mock_device.hpp"
