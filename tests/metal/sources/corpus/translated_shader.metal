// As translators of shader languages write: arrays with operators for each address space, qualified names,
// buffers of one element, threadgroup references as parameters, types made of types.
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#pragma clang diagnostic ignored "-Wmissing-braces"
#include <metal_stdlib>
#include <simd/simd.h>
using namespace metal;

template <typename T, size_t Num>
struct safeArray {
  T elements[Num ? Num : 1];
  thread T& operator[](size_t pos) thread { return elements[pos]; }
  constexpr const thread T& operator[](size_t pos) const thread { return elements[pos]; }
  device T& operator[](size_t pos) device { return elements[pos]; }
  constexpr const device T& operator[](size_t pos) const device { return elements[pos]; }
  constexpr const constant T& operator[](size_t pos) const constant { return elements[pos]; }
  threadgroup T& operator[](size_t pos) threadgroup { return elements[pos]; }
  constexpr const threadgroup T& operator[](size_t pos) const threadgroup { return elements[pos]; }
};
struct DefaultConstructible {
  template <typename T>
  operator T() && {
    return T{};
  }
};
struct _mslBufferSizes {
  uint size0;
  uint size1;
};
struct Uniforms {
  uint count;
  char _pad1[12];
  metal::float4 factors;
  float4x4 matrix;
};
typedef float type_1[1];
typedef metal::float4 type_4[1];
struct type_5 {
  float inner[64];
};
struct Storage {
  uint header;
  char _pad[12];
  type_1 data;
};
struct Push {
  int a;
  float b[4];
};
constant uint3 kWorkgroup [[maybe_unused]] = uint3(64u, 1u, 1u);
constant int kGiven_tmp [[function_constant(0)]];
constant int kGiven = is_function_constant_defined(kGiven_tmp) ? kGiven_tmp : 4;
constant safeArray<float, 4> _20 = safeArray<float, 4>({1.0, 2.0, 3.0, 4.0});
constant float _25[2][2] = {{1.0, 2.0}, {3.0, 4.0}};

template <typename T>
T mod_of(T x, T y) {
  return x - y * floor(x / y);
}
template <typename T>
T findLSB(T x) {
  return select(ctz(x), T(-1), x == T(0));
}
static inline __attribute__((always_inline)) float helper(thread const float& x, thread float& y, constant Uniforms& u) {
  y = x * u.factors[1];
  return y;
}
float naga_mod(float lhs, float rhs) { return metal::fmod(lhs, rhs); }
metal::int2 naga_div(metal::int2 lhs, metal::int2 rhs) { return lhs / metal::select(rhs, 1, (lhs == (-2147483647 - 1) & rhs == -1) | (rhs == 0)); }
float dot_rows(
    device type_1 const& v_1,
    device Storage& storage,
    uint i,
    constant _mslBufferSizes& _buffer_sizes
) {
    float _e5 = uint(i) < 1 + (_buffer_sizes.size0 - 0 - 4) / 4 ? v_1[i] : DefaultConstructible();
    storage.data[i] = _e5;
    return _e5;
}
struct main_Input {
};
kernel void main_(
  metal::uint3 global_id [[thread_position_in_grid]]
, metal::uint3 local_id [[thread_position_in_threadgroup]]
, device type_1 const& v_1 [[buffer(0)]]
, device Storage& storage [[buffer(1)]]
, constant Uniforms& u [[buffer(2)]]
, threadgroup type_5& shared_data
, threadgroup uint& shared_count
, constant _mslBufferSizes& _buffer_sizes [[buffer(24)]]
) {
    if (metal::all(local_id == metal::uint3(0u))) {
        shared_data = {};
        shared_count = {};
    }
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    float local = {};
    uint2 loop_bound = uint2(4294967295u);
    uint i_1 = 0u;
    bool loop_init = true;
    while (true) {
        if (metal::all(loop_bound == uint2(0u))) { break; }
        loop_bound -= uint2(loop_bound.y == 0u, 1u);
        if (!loop_init) {
            i_1 = i_1 + 1u;
        }
        loop_init = false;
        if (i_1 >= u.count) { break; }
        float _e9 = dot_rows(v_1, storage, i_1, _buffer_sizes);
        local = local + _e9;
    }
    shared_data.inner[local_id.x & 63u] = local;
    metal::threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    metal::float4 f = u.factors * metal::float4(1.0, 2.0, 3.0, local);
    metal::int2 q = naga_div(metal::int2(4, 3), metal::int2(2, 0));
    storage.data[global_id.x] = shared_data.inner[0] + f.w + naga_mod(f.x, 2.0) + static_cast<float>(q.x) + as_type<float>(as_type<uint>(f.y));
    switch (static_cast<int>(global_id.x)) {
        case 0:
        case 1: {
            storage.header = 1u;
            break;
        }
        default: {
            storage.header += shared_count;
            break;
        }
    }
    return;
}
kernel void main0(device Storage& _12 [[buffer(0)]], const device Storage& _15 [[buffer(1)]], constant Push& push [[buffer(2)]],
                  constant Uniforms& u [[buffer(3)]], constant uint* spvBufferSizeConstants [[buffer(25)]],
                  uint3 gl_GlobalInvocationID [[thread_position_in_grid]], uint3 gl_WorkGroupID [[threadgroup_position_in_grid]],
                  uint gl_LocalInvocationIndex [[thread_index_in_threadgroup]], uint gl_SubgroupInvocationID [[thread_index_in_simdgroup]])
{
    constant uint& _12BufferSize = spvBufferSizeConstants[0];
    threadgroup safeArray<float, 64> tile;
    safeArray<float, 4> acc = safeArray<float, 4>({ 0.0, 0.0, 0.0, 0.0 });
    safeArray<safeArray<float, 2>, 2> nested;
    nested[0][1] = 1.0;
    tile[gl_LocalInvocationIndex] = _15.data[gl_GlobalInvocationID.x] * push.b[1];
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device | mem_flags::mem_texture);
    float y;
    float x = tile[0];
    float _40 = helper(x, y, u);
    for (int i = 0; i < kGiven; i++)
    {
        acc[i & 3] += _20[i & 3] + mod_of(_40, 2.0f) + _25[i & 1][1];
    }
    uint bits = uint(findLSB(gl_SubgroupInvocationID));
    _12.data[gl_GlobalInvocationID.x] = (acc[0] + nested[0][1]) + float(bits) + float((_12BufferSize - 16) / 4) + float(kWorkgroup.x);
    if ((gl_WorkGroupID.x == 0u) && (push.a > 0)) { _12.header = popcount(bits); }
}
