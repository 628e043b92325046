// Devices: the interface, what registers one (RegisterDevice), and the decorators that come with Assay.
#pragma once

#include "harness/device/audited_device.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/decorator.hpp"
#include "harness/device/device.hpp"
#include "harness/device/faulty_device.hpp"
#include "harness/device/guarded_device.hpp"
#include "harness/device/launch_recorder.hpp"
#include "harness/device/registry.hpp"
