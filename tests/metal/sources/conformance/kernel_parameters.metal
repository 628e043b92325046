// What kernels may take: buffers with and without an index, positions of every type, and what else the file holds
// that the kernel has no use for.
#include <metal_stdlib>
using namespace metal;

// Attributes mean nothing outside kernels, and may stand there.
static uint line_of(constant const uint &width [[buffer(3)]], uint2 at [[thread_position_in_grid]]) {
  return at.y * width + at.x;
}
struct Place {
  uint lane, simd;
  METAL_FUNC Place(uint lane_ [[thread_index_in_simdgroup]], uint simd_ [[simdgroup_index_in_threadgroup]])
      : lane(lane_), simd(simd_) {}
  static uint joined(ushort lane [[thread_index_in_simdgroup]], const thread Place &other) {
    return lane + 32 * other.simd;
  }
};

[[kernel]] void positions(const device uint *in, device uint2 *out, const constant uint &width,
                          threadgroup char *scratch [[threadgroup(0)]], const constant int &factor,
                          uint3 at [[thread_position_in_grid]], uint3 group[[threadgroup_position_in_grid]],
                          uint3 local [[thread_position_in_threadgroup]],
                          uint3 size [[threads_per_threadgroup]],
                          ushort index [[thread_index_in_threadgroup]],
                          ushort lane[[thread_index_in_simdgroup]],
                          uint simd [[simdgroup_index_in_threadgroup]],
                          uint3 groups [[threadgroups_per_grid]]) {
  if (group.x * size.x >= width) {
    return;
  }
  (void)groups;
  threadgroup uint * staged = (threadgroup uint *)scratch;
  const uint line = line_of(width, at.xy);
  staged[index] = at.x < width ? in[line] * factor : 0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (at.x >= width) return;
  const Place place(lane, simd);
  const bool same = Place::joined(lane, place) == index && local.y * size.x + local.x == index;
  const uint next = local.x + 1 < size.x ? staged[index + 1] : 0;
  out[line] = uint2(staged[index] + next, same ? group.y * 100 + local.x : 9999);
}

// One function template behind two kernels; the threadgroup's bytes come from the launch.
template <typename T>
void _running_total(device T *values [[buffer(0)]], constant uint &count [[buffer(1)]],
                    threadgroup T *staged [[threadgroup(0)]], ushort i [[thread_position_in_threadgroup]]) {
  staged[i] = values[i];
  #pragma clang loop unroll(full)  // 1, 2, 4, 8
  for (ushort reach = 1; reach < 16; reach *= 2) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const T before = i >= reach ? staged[i - reach] : T(0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    staged[i] += before;
  }
  if (i < count) values[i] = staged[i];
}
kernel void running_total_half(device half *values [[buffer(0)]], constant uint &count [[buffer(1)]],
                               threadgroup half *staged [[threadgroup(0)]],
                               ushort i [[thread_position_in_threadgroup]]) {
  _running_total<half>(values, count, staged, i);
}
kernel void running_total_float(device float *values [[buffer(0)]], constant uint &count [[buffer(1)]],
                                threadgroup float *staged [[threadgroup(0)]],
                                ushort i [[thread_position_in_threadgroup]]) {
  _running_total<float>(values, count, staged, i);
}

// Nothing below is of use to the kernels above, and none of it may be in their way.
kernel void shrink_picture(texture2d<float, access::sample> picture [[texture(0)]],
                           sampler nearby [[sampler(0)]], device float *out [[buffer(0)]],
                           uint2 at [[thread_position_in_grid]]) {
  out[at.x] = picture.sample(nearby, float2(at) * 0.5f).x;
}
template <typename T>
kernel void clear_picture(texture2d<T, access::write> picture [[texture(0)]],
                          uint2 at [[thread_position_in_grid]]) {
  picture.write(vec<T, 4>(0), at);
}
typedef void (picture_function)(texture2d<half, access::write>, uint2);

METAL_FUNC int64_t offset_of(constant const int *sizes, constant const int64_t *strides, uint i, int rank) {
  int64_t offset = 0;
  for (int axis = rank - 1; axis >= 0; --axis, i /= 2) offset += int64_t(i % sizes[axis]) * strides[axis];
  return offset;
}
template <typename Index = int64_t>
METAL_FUNC Index scaled_index(uint i, constant const int64_t &stride) {
  return Index(i) * Index(stride);
}
kernel void by_strides(device const int *in [[buffer(0)]], device int *out [[buffer(1)]],
                       constant const int *sizes [[buffer(2)]], constant const int64_t *strides [[buffer(3)]],
                       uint i [[thread_position_in_grid]]) {
  out[scaled_index(i, strides[2])] = in[offset_of(sizes, strides, i, 2)] + int(scaled_index<uint>(i, strides[0]));
}
