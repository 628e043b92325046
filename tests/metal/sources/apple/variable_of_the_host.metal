// refused, line 4: `extern "C"` declares something of the host
#include <metal_stdlib>
using namespace metal;
extern "C" struct Window { int left; } shared_window;
kernel void left(device int* out) { out[0] = shared_window.left; }
