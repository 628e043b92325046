// loads
#include <metal_stdlib>
kernel void set(device float& first [[user(fake1)]], device metal::float2& second [[user(fake2)]]) {
  first = 1;
  second = 2;
}
