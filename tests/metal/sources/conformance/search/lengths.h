// Found through an include directory; reaches a folder of the kernel's by a path from here.
#pragma once
#include "../parts/stripes.h"

inline float in_metres(float feet) { return feet * 0.25f + float(kStripes); }
