// What every device must do, as a typed googletest suite to instantiate for a device of one's own.
#pragma once

#include "harness/device/conformance/suite.hpp"
