// Asynchronous copies of a simdgroup, as texts declare the functions of Apple's compiler for them: a class over both
// directions, tiles that hang over the edge of what they are cut from, and a row that is copied whole.
#include <metal_stdlib>
using namespace metal;

struct ferry_ticket;

thread ferry_ticket *ferry_row(ulong width, ulong alignment, threadgroup void *pier, const device void *land,
                               ulong count) __asm("air.simdgroup_async_copy_1d.p3i8.p1i8");
thread ferry_ticket *ferry_tile(ulong width, ulong alignment, threadgroup void *pier, ulong pier_row, ulong pier_step,
                                ulong2 pier_tile, const device void *land, ulong land_row, ulong land_step,
                                ulong2 land_tile, long2 origin, int beyond)
    __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
thread ferry_ticket *ferry_tile(ulong width, ulong alignment, device void *land, ulong land_row, ulong land_step,
                                ulong2 land_tile, const threadgroup void *pier, ulong pier_row, ulong pier_step,
                                ulong2 pier_tile, long2 origin, int beyond)
    __asm("air.simdgroup_async_copy_2d.p1i8.p3i8");
void ferry_arrivals(int count, thread ferry_ticket **tickets) __asm("air.wait_simdgroup_events");

enum class beyond : int { nothing = 0, shore = 1 };

// One crossing, towards threadgroup memory (load) or back (unload).
class Ferry {
  thread ferry_ticket *ticket;

 public:
  template <typename T>
  void load(threadgroup T *pier, ushort pier_row, ushort2 pier_tile, const device T *land, uint land_row,
            ushort2 land_tile, beyond mode) thread {
    ticket = ferry_tile(sizeof(T), alignof(T), reinterpret_cast<threadgroup void *>(pier), pier_row, 1,
                        ulong2(pier_tile), reinterpret_cast<const device void *>(land), land_row, 1,
                        ulong2(land_tile), long2(0), static_cast<int>(mode));
  }
  template <typename T>
  void unload(device T *land, uint land_row, ushort2 land_tile, const threadgroup T *pier, ushort pier_row) thread {
    ticket = ferry_tile(sizeof(T), alignof(T), reinterpret_cast<device void *>(land), land_row, 1,
                        ulong2(land_tile), reinterpret_cast<const threadgroup void *>(pier), pier_row, 1,
                        ulong2(land_tile), long2(0), 0);
  }
  template <typename T>
  void load_row(threadgroup T *pier, const device T *land, ulong count) thread {
    ticket = ferry_row(sizeof(T), alignof(T), pier, land, count);
  }
  static void arrivals(int count, thread Ferry *ferries) {
    ferry_arrivals(count, reinterpret_cast<thread ferry_ticket **>(ferries));
  }
};

constant bool waits [[function_constant(0)]];
constant int outside [[function_constant(1)]];

constant constexpr ushort kTile = 12;

// sums[r][c] = left[r][c] + 100 * right[r][c], tile by tile: the first simdgroup carries, all add.
template <typename T>
kernel void freight(device const T *left [[buffer(0)]], device const T *right [[buffer(1)]],
                    device T *sums [[buffer(2)]], constant uint2 &size [[buffer(3)]],
                    uint2 group [[threadgroup_position_in_grid]], uint thread_index [[thread_index_in_threadgroup]],
                    uint simdgroup [[simdgroup_index_in_threadgroup]], uint2 size_of [[threads_per_threadgroup]]) {
  const uint threads = size_of.x;
  threadgroup T a[kTile * kTile], b[kTile * kTile], out[kTile * kTile];
  const uint2 corner = group * kTile;
  const ushort2 there = ushort2(min(size - corner, uint2(kTile)));
  const ulong at = ulong(corner.y) * size.x + corner.x;
  if (simdgroup == 0) {
    Ferry two[2];
    two[0].load(a, kTile, ushort2(kTile), left + at, size.x, there, static_cast<beyond>(outside));
    two[1].load(b, kTile, ushort2(kTile), right + at, size.x, there, static_cast<beyond>(outside));
    if (waits) Ferry::arrivals(2, two);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (ushort i = thread_index; i < kTile * kTile; i += threads) out[i] = a[i] + 100 * b[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (simdgroup == 0) {
    Ferry back;
    back.unload(sums + at, size.x, there, out, kTile);
    Ferry::arrivals(1, &back);
  }
}
template [[host_name("freight_float")]] kernel void freight<float>(device const float *, device const float *,
                                                                   device float *, constant uint2 &, uint2, uint,
                                                                   uint, uint2);
template [[host_name("freight_uchar")]] kernel void freight<uchar>(device const uchar *, device const uchar *,
                                                                   device uchar *, constant uint2 &, uint2, uint,
                                                                   uint, uint2);

// Every tile whole: what lies beyond the land shows.
kernel void whole_tile(device const half4 *land [[buffer(0)]], device half4 *out [[buffer(1)]],
                       uint lane [[thread_index_in_threadgroup]]) {
  threadgroup half4 pier[5 * 4];
  Ferry one;
  one.load(pier, 5, ushort2(5, 4), land, 7, ushort2(3, 2), static_cast<beyond>(outside));
  Ferry::arrivals(1, &one);
  if (lane < 20) out[lane] = pier[lane];
}

// A row of structures of an odd size; read by the lanes that carried it, with nothing but the wait between.
struct Crate {
  packed_float3 size;
  uchar kind;
  uchar label[3];
};
kernel void crates(device const Crate *land [[buffer(0)]], device float *volumes [[buffer(1)]],
                   constant uint &count [[buffer(2)]], uint lane [[thread_index_in_simdgroup]]) {
  threadgroup Crate pier[96];
  Ferry row;
  row.load_row(pier, land, count);
  Ferry::arrivals(1, &row);
  for (uint i = count - 1 - lane; i < count; i -= 32) {
    const float3 size = pier[i].size;
    volumes[i] = size.x * size.y * size.z + pier[i].kind;
  }
}
