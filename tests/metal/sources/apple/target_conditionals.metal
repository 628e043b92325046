// loads
#include <TargetConditionals.h>
#include <metal_stdlib>
using namespace metal;
#if TARGET_OS_SIMULATOR || TARGET_OS_IPHONE || !TARGET_OS_OSX
#error not a Mac
#endif
kernel void none(device uint* all, uint at [[thread_position_in_grid]]) { all[at] = 0; }
