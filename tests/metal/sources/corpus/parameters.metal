// Kernels with every way to write their parameters, attributes and qualifiers.
#include <metal_stdlib>
using namespace metal;
struct Args {
  uint n;
  float scale;
  packed_float3 offset;
  array<uint, 4> dims;
  int4 window[2];
};
typedef struct __attribute__((packed)) {
  uchar tag;
  uint value;
} Tagged;
struct [[gnu::packed]] OtherTagged {
  uchar tag;
  float value;
};
namespace kernels {
namespace deep {
struct Local {
  float x;
};
kernel void in_namespace(device Local* out, constant Args& args, uint i [[thread_position_in_grid]]) {
  if (i < args.n) out[i].x = args.scale;
}
template <typename T>
[[kernel]] void templated(device T* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  out[i] = T(i);
}
template [[host_name("templated_float")]] [[kernel]] void templated<float>(device float*, uint);
}  // namespace deep
template [[host_name("templated_half")]] [[kernel]] void deep::templated<half>(device half*, uint);
}  // namespace kernels
kernel void tight(device const float*in[[buffer(0)]],device float*out[[buffer(1)]],constant Args&a[[buffer(2)]],uint3 tpitg[[thread_position_in_threadgroup]],uint3 tgpig[[threadgroup_position_in_grid]],uint3 ntg[[threads_per_threadgroup]]){
  const uint i=tgpig.x*ntg.x+tpitg.x;if(i<a.n)out[i]=in[i]*a.scale+a.offset.x+a.dims[1]+a.window[0].y;
}
kernel void orders(const device float* a [[buffer(0)]], device const float* b [[buffer(1)]], float const device* c [[buffer(2)]],
                   volatile device float* d [[buffer(3)]], device float* __restrict e [[buffer(4)]],
                   const device float* const f [[buffer(5)]], constant const uint& g [[buffer(6)]],
                   const constant Tagged* h [[buffer(7)]], device OtherTagged& k [[buffer(8)]], device void* raw [[buffer(9)]],
                   device const uint8_t* restrict_free [[buffer(10)]], threadgroup float* s [[threadgroup(0)]],
                   threadgroup half2* s2 [[threadgroup(1)]], const uint3 at [[thread_position_in_grid]],
                   ushort3 inside [[thread_position_in_threadgroup]], uint3 groups [[threadgroups_per_grid]],
                   ushort3 size [[threads_per_threadgroup]], uint3 full [[dispatch_threads_per_threadgroup]],
                   uint3 grid [[threads_per_grid]], ushort sgs [[dispatch_simdgroups_per_threadgroup]]) {
  s[inside.x] = a[at.x] + b[at.x] + c[at.x];
  s2[inside.x] = half2(s[inside.x]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  volatile threadgroup float* vs = s;
  d[at.x] = vs[0] + float(s2[0].y);
  e[at.x] = *f + g + h->value + h[0].tag + k.value + restrict_free[at.y] + groups.x + size.z + full.y + grid.z + sgs;
  reinterpret_cast<device float*>(raw)[at.x] = *reinterpret_cast<const device float*>(restrict_free);
  device half4* halves = (device half4*)raw;
  *(halves + 1) = *(device const half4*)(a + 4);
  *((device uint2*)((device char*)raw + 8)) = as_type<uint2>(float2(1, 2));
  const device char* bytes = static_cast<const device char*>((const device void*)a);
  k.tag = bytes[0];
}
[[host_name("renamed")]] [[kernel]] void first_name(device uint* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = tid; }
[[max_total_threads_per_threadgroup(256)]] [[kernel]] void limited(device uint* out, uint2 tid [[thread_position_in_grid]]) { out[tid.x] = tid.y; }
[[max_total_threads_per_threadgroup(64)]] kernel void limited_too(device uint* out, uint tid [[thread_position_in_grid]]) { out[tid] = tid; }
[[kernel]] [[host_name("both")]] [[max_total_threads_per_threadgroup(32)]]
void both_of(device uint* out, uint tid [[thread_position_in_grid]]) { out[tid] = tid; }
extern "C" kernel void c_linkage(device uint* out, uint tid [[thread_position_in_grid]]) { out[tid] = tid; }
kernel
void
over_lines(
    device uint
        *out [[ buffer(0) ]],
    uint tid [[ thread_position_in_grid ]]
)
{
  out [tid] = tid;
}
static constant const uint kOffset = 3;
kernel void unused_positions(device uint* out [[buffer(0)]], uint3 [[thread_position_in_grid]], uint3 [[maybe_unused]] x [[threads_per_grid]]) { out[0] = kOffset; }
kernel void fast(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = fast::exp(out[tid]); }
kernel void sum(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] += 1; }
kernel void clamp(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = metal::clamp(out[tid], 0.f, 1.f); }
kernel void exp(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = metal::exp(out[tid]); }
kernel void precise(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = metal::precise::exp(out[tid]); }
kernel void transpose(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void select(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void dot(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void array(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void vec(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void matrix(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void round(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = metal::round(out[tid]); }
kernel void copy(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void add(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void memcpy(device float* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
kernel void log2(device half* out [[buffer(0)]], uint tid [[thread_position_in_grid]]) { out[tid] = 1; }
