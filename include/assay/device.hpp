// Devices: the interface, what registers one (RegisterDevice), and the decorators that come with Assay.
#pragma once

#include "assay/device/audited_device.hpp"
#include "assay/device/buffer.hpp"
#include "assay/device/decorator.hpp"
#include "assay/device/device.hpp"
#include "assay/device/faulty_device.hpp"
#include "assay/device/guarded_device.hpp"
#include "assay/device/launch_recorder.hpp"
#include "assay/device/registry.hpp"
