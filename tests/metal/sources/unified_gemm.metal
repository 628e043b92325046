// In the style of metal-flash-attention's unified GEMM: everything that varies is a function constant, matrix
// fragments are touched element by element, and tiles may be fetched by Apple's undocumented asynchronous copies.
#include <metal_stdlib>
using namespace metal;

// Dimensions of each matrix.
constant uint M [[function_constant(0)]];
constant uint N [[function_constant(1)]];
constant uint K [[function_constant(2)]];

// Whether each matrix is transposed.
constant bool A_trans [[function_constant(10)]];
constant bool B_trans [[function_constant(11)]];

// Alpha and beta constants from BLAS.
constant float alpha [[function_constant(20)]];
constant float beta [[function_constant(21)]];
constant bool has_alpha = is_function_constant_defined(alpha);
constant float used_alpha = has_alpha ? alpha : 1.0f;
constant bool used_beta = is_function_constant_defined(beta);

constant bool use_async_copy [[function_constant(30)]];
constant bool uses_async_copy = is_function_constant_defined(use_async_copy) ? use_async_copy : false;

constant ushort M_simd [[function_constant(200)]];
constant ushort N_simd [[function_constant(201)]];
constant ushort K_simd [[function_constant(202)]];
constant ushort M_group = M_simd * 2;
constant ushort N_group = N_simd * 2;

// -----------------------------------------------------------------------------

// Invokes the hardware's copy engine.
struct _simdgroup_event_t;

thread _simdgroup_event_t*
__metal_simdgroup_async_copy_2d(
  ulong, ulong, threadgroup void *, ulong, ulong, ulong2, const device void *, ulong, ulong, ulong2, long2, int)
  __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");

void __metal_wait_simdgroup_events(int, thread _simdgroup_event_t**) __asm("air.wait_simdgroup_events");

#pragma METAL internals : enable
namespace metal {
  enum class simdgroup_async_copy_clamp_mode { clamp_to_zero = 0, clamp_to_edge = 1 };

  struct simdgroup_event {
    METAL_FUNC simdgroup_event() thread {}

    template <typename T>
    METAL_FUNC void async_copy(
      threadgroup T *dst, ushort dst_elements_per_row, ushort2 dst_tile_dimensions,
      const device T *src, uint src_elements_per_row, ushort2 src_tile_dimensions, bool transpose_matrix = false) thread {
      if (transpose_matrix) {
        src_tile_dimensions = src_tile_dimensions.yx;
        dst_tile_dimensions = dst_tile_dimensions.yx;
      }
      event = __metal_simdgroup_async_copy_2d(
        sizeof(T), alignof(T), reinterpret_cast<threadgroup void *>(dst), ushort(dst_elements_per_row), 1,
        ulong2(dst_tile_dimensions), reinterpret_cast<const device void *>(src), uint(src_elements_per_row), 1,
        ulong2(src_tile_dimensions), long2(0), 0);
    }

    METAL_FUNC static void wait(int count, thread simdgroup_event *events) {
      __metal_wait_simdgroup_events(count, reinterpret_cast<thread _simdgroup_event_t**>(events));
    }

  private:
    thread _simdgroup_event_t* event;
  };
} // namespace metal
#pragma METAL internals : disable

// The layout of threads within a SIMD matrix.
METAL_FUNC static ushort2 morton_order(ushort thread_index_in_simdgroup) {
  ushort lane_id = thread_index_in_simdgroup;
  ushort quad_id = lane_id / 4;

  constexpr ushort QUADRANT_SPAN_M = 4;
  constexpr ushort THREADS_PER_QUADRANT = 8;
  ushort M_floor_of_quadrant = (quad_id / 4) * QUADRANT_SPAN_M;
  ushort M_in_quadrant = (lane_id / 2) % (THREADS_PER_QUADRANT / 2);
  ushort M_in_simd = M_floor_of_quadrant + M_in_quadrant;

  ushort N_floor_of_quadrant = (quad_id & 2) * 2; // 0 or 4
  ushort N_in_quadrant = (lane_id % 2) * 2; // 0 or 2
  ushort N_in_simd = N_floor_of_quadrant + N_in_quadrant;

  return ushort2(N_in_simd, M_in_simd);
}

#pragma METAL internals : enable
namespace metal
{
  template <typename T>
  struct simdgroup_matrix_storage {
    typedef vec<T, 64> storage_type;

    simdgroup_matrix<T, 8, 8> t;

    METAL_FUNC thread vec<T, 2>* thread_elements() thread {
      return reinterpret_cast<thread vec<T, 2>*>(&(t.thread_elements()));
    }

    METAL_FUNC simdgroup_matrix_storage() thread = default;

    METAL_FUNC simdgroup_matrix_storage(vec<T, 2> thread_elements) thread {
      *(this->thread_elements()) = thread_elements;
    }

    METAL_FUNC static device T* apply_offset(device T *src, uint elements_per_row, uint2 matrix_origin, bool transpose_matrix = false) {
      if (transpose_matrix) {
        return src + ulong(matrix_origin.x * elements_per_row) + matrix_origin.y;
      } else {
        return src + ulong(matrix_origin.y * elements_per_row) + matrix_origin.x;
      }
    }

    METAL_FUNC static threadgroup T* apply_offset(threadgroup T *src, ushort elements_per_row, ushort2 matrix_origin, bool transpose_matrix = false) {
      if (transpose_matrix) {
        return src + matrix_origin.x * elements_per_row + matrix_origin.y;
      } else {
        return src + matrix_origin.y * elements_per_row + matrix_origin.x;
      }
    }

    template <typename U>
    METAL_FUNC void load(const device U *src, uint elements_per_row, ushort2 matrix_origin, bool transpose_matrix = false) {
      if (transpose_matrix) {
        ulong address0 = ulong(matrix_origin.x + 0) * elements_per_row + ulong(matrix_origin.y);
        ulong address1 = ulong(matrix_origin.x + 1) * elements_per_row + ulong(matrix_origin.y);
        *(thread_elements()) = vec<T, 2>(T(src[address0]), T(src[address1]));
      } else {
        ulong address = ulong(matrix_origin.y) * elements_per_row + ulong(matrix_origin.x);
        *(thread_elements()) = vec<T, 2>(T(src[address]), T(src[address + 1]));
      }
    }

    // The same for threadgroup memory: it differs by address space alone.
    template <typename U>
    METAL_FUNC void load(const threadgroup U *src, uint elements_per_row, ushort2 matrix_origin, bool transpose_matrix = false) {
      if (transpose_matrix) {
        ulong address0 = ulong(matrix_origin.x + 0) * elements_per_row + ulong(matrix_origin.y);
        ulong address1 = ulong(matrix_origin.x + 1) * elements_per_row + ulong(matrix_origin.y);
        *(thread_elements()) = vec<T, 2>(T(src[address0]), T(src[address1]));
      } else {
        ulong address = ulong(matrix_origin.y) * elements_per_row + ulong(matrix_origin.x);
        *(thread_elements()) = vec<T, 2>(T(src[address]), T(src[address + 1]));
      }
    }

    template <typename U>
    METAL_FUNC void store(device U *dst, uint elements_per_row, ushort2 matrix_origin) {
      ulong address = ulong(matrix_origin.y) * elements_per_row + ulong(matrix_origin.x);
      vec<T, 2> elements = *(thread_elements());
      dst[address] = U(elements[0]);
      dst[address + 1] = U(elements[1]);
    }

    template <typename U, typename V>
    METAL_FUNC void multiply(simdgroup_matrix_storage<U> a, simdgroup_matrix_storage<V> b, bool accumulate = true) {
      if (!accumulate) {
        *(thread_elements()) = vec<T, 2>(0);
      }
      simdgroup_multiply_accumulate(t, a.t, b.t, t);
    }
  };
} // namespace metal
#pragma METAL internals : disable

template <typename T>
METAL_FUNC thread simdgroup_matrix_storage<T>* get_sram(thread simdgroup_matrix_storage<T> *sram, ushort sram_leading_dim, ushort2 matrix_origin) {
  return sram + (matrix_origin.y / 8) * (sram_leading_dim / 8) + (matrix_origin.x / 8);
}

template <typename T>
void _gemm_impl(device T *A [[buffer(0)]],
                device T *B [[buffer(1)]],
                device T *C [[buffer(2)]],
                threadgroup T *threadgroup_block [[threadgroup(0)]],
                uint3 gid [[threadgroup_position_in_grid]],
                ushort sidx [[simdgroup_index_in_threadgroup]],
                ushort lane_id [[thread_index_in_simdgroup]])
{
  if (uses_async_copy) {
    if (sidx == 0) {
      simdgroup_event events[1];
      events[0].async_copy(threadgroup_block, 8, ushort2(8, 8), A, K, ushort2(8, 8));
      simdgroup_event::wait(1, events);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  ushort2 sid(sidx % 2, sidx / 2);
  ushort2 morton_offset = morton_order(lane_id);
  uint2 C_offset(gid.x * N_group + sid.x * N_simd, gid.y * M_group + sid.y * M_simd);

  simdgroup_matrix_storage<float> C_sram[16];
  #pragma clang loop unroll(full)
  for (ushort m = 0; m < M_simd; m += 8) {
    #pragma clang loop unroll(full)
    for (ushort n = 0; n < N_simd; n += 8) {
      *get_sram(C_sram, N_simd, ushort2(n, m)) = simdgroup_matrix_storage<float>(float2(0));
    }
  }

  uint A_leading = A_trans ? M : K;
  uint B_leading = B_trans ? K : N;
  for (uint k = 0; k < K; k += K_simd) {
    for (ushort kk = 0; kk < K_simd; kk += 8) {
      for (ushort m = 0; m < M_simd; m += 8) {
        simdgroup_matrix_storage<T> a;
        a.load(A, A_leading, ushort2(k + kk + morton_offset.x, C_offset.y + m + morton_offset.y), A_trans);
        for (ushort n = 0; n < N_simd; n += 8) {
          simdgroup_matrix_storage<T> b;
          b.load(B, B_leading, ushort2(C_offset.x + n + morton_offset.x, k + kk + morton_offset.y), B_trans);
          get_sram(C_sram, N_simd, ushort2(n, m))->multiply(a, b);
        }
      }
    }
  }

  for (ushort m = 0; m < M_simd; m += 8) {
    for (ushort n = 0; n < N_simd; n += 8) {
      thread auto* c = get_sram(C_sram, N_simd, ushort2(n, m));
      *(c->thread_elements()) *= used_alpha;
      if (used_beta) {
        simdgroup_matrix_storage<T> before;
        before.load(C, N, ushort2(C_offset) + ushort2(n, m) + morton_offset);
        *(c->thread_elements()) += float2(*(before.thread_elements())) * beta;
      }
      c->store(C, N, ushort2(C_offset) + ushort2(n, m) + morton_offset);
    }
  }
}

kernel void hgemm(device half *A [[buffer(0)]],
                  device half *B [[buffer(1)]],
                  device half *C [[buffer(2)]],
                  threadgroup half *threadgroup_block [[threadgroup(0)]],
                  uint3 gid [[threadgroup_position_in_grid]],
                  ushort sidx [[simdgroup_index_in_threadgroup]],
                  ushort lane_id [[thread_index_in_simdgroup]])
{
  _gemm_impl<half>(A, B, C, threadgroup_block, gid, sidx, lane_id);
}

kernel void sgemm(device float *A [[buffer(0)]],
                  device float *B [[buffer(1)]],
                  device float *C [[buffer(2)]],
                  threadgroup float *threadgroup_block [[threadgroup(0)]],
                  uint3 gid [[threadgroup_position_in_grid]],
                  ushort sidx [[simdgroup_index_in_threadgroup]],
                  ushort lane_id [[thread_index_in_simdgroup]])
{
  _gemm_impl<float>(A, B, C, threadgroup_block, gid, sidx, lane_id);
}
