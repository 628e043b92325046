// refused, line 4: no function is called `main`
#include <metal_stdlib>
using namespace metal;
int main() { return 0; }
kernel void k(device float* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = 1; }
