// Functions of which there are special cases alone, constants made by the library, packed vectors of another type.
#include <metal_stdlib>
using namespace metal;

template <uint kind>
bool keeps(int row, int column);
template <>
bool keeps<0>(int row, int column) {
  return column <= row;
}
template <>
bool keeps</* above */ 1>(int row, int column) {
  return column > row;
}

#pragma METAL internals : enable
template <typename T>
constexpr constant bool is_counted = _disjunction<is_same<T, int>, is_same<T, uint>>::value;
#pragma METAL internals : disable

template <uint kind, typename T>
kernel void mask_rows(device T* rows [[buffer(0)]], constant int& width [[buffer(1)]],
                      uint2 at [[thread_position_in_grid]]) {
  constexpr int step = make_uniform(2);
  using Plain = remove_addrspace_t<T>;
  const Plain outside = is_counted<T> ? Plain(-step) : Plain(0);
  device T& cell = rows[int(at.y) * width + int(at.x)];
  if (!keeps<kind>(int(at.y), int(at.x))) cell = outside;
}
template [[host_name("keep_below")]] kernel decltype(mask_rows<0, float>) mask_rows<0, float>;
template [[host_name("keep_above")]] kernel decltype(mask_rows<1, int>) mask_rows<1, int>;

kernel void unpack(const device packed_char4* bytes [[buffer(0)]], device packed_half4* halves [[buffer(1)]],
                   device float* sums [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  const float4 wide = float4(bytes[i]) * 0.5f;
  halves[i] = packed_half4(bytes[i]);
  const float3 three = float3(packed_half3(halves[i].xyz));
  sums[i] = wide.x + wide.y + wide.z + wide.w + three.y;
}

// A list in braces for a function of the text; vectors in volatile memory.
struct Sums {
  float4 rows[2];
  thread Sums& operator=(initializer_list<float4> list) thread {
    thread float4* row = list.begin();
    for (uint i = 0; i < 2 && i < list.size(); ++i, ++row) rows[i] = *row;
    return *this;
  }
};
struct Cell {
  float4 value;
};
kernel void braces(volatile device Cell& cell [[buffer(0)]]) {
  Sums sums;
  sums = {float4(1.0f), cell.value};
  cell.value = sums.rows[0] + sums.rows[1];
}
