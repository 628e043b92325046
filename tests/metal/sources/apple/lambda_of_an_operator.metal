// refused, line 6: lambda expressions are not supported in Metal before version 4.0
#include <metal_stdlib>
using namespace metal;
kernel void twice(device uint* counts [[buffer(0)]], uint at [[thread_position_in_grid]]) {
  const uint count = counts[at];
  const auto doubled = +[](uint number) { return 2 * number; };
  counts[at] = doubled(count);
}
