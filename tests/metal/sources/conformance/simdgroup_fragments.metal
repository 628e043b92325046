// Simdgroup matrices by what each lane holds of them: products of patches, with and without transposes.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

constant bool whole_rows [[function_constant(30)]];
constant bool whole_columns [[function_constant(31)]];
constant bool with_bias [[function_constant(32)]];
constant bool with_scale [[function_constant(33)]];

struct patch_sizes {
  const int64_t rows, columns;
  const int depth;
};

// A matrix of 8 by 8, two neighbours of a row in each lane.
template <typename T>
struct Patch {
  typedef metal::vec<T, 2> pair_type;
  metal::simdgroup_matrix<T, 8, 8> matrix;

  METAL_FUNC Patch() thread : matrix(0) {}
  METAL_FUNC static short2 place(ushort lane [[thread_index_in_simdgroup]]) {
    return short2{short(lane / 16 * 4 + lane % 8 / 2), short(lane / 8 % 2 * 4 + lane % 2 * 2)};
  }
  METAL_FUNC thread pair_type *pair() thread {
    return reinterpret_cast<thread pair_type *>(&matrix.thread_elements());
  }
  template <typename U, typename RowStride, typename ColumnStride>
  METAL_FUNC void load(threadgroup const U *from, RowStride down, ColumnStride along, short2 at) {
    pair_type own(0);
    for (short k = 0; k < 2; ++k) own[k] = T(from[at.x * down + (at.y + k) * along]);
    reinterpret_cast<thread pair_type &>(matrix.thread_elements()) = own;
  }
  template <typename U>
  METAL_FUNC void store(device U *to, int stride, short2 limits, short2 at, short right = 0, short down = 0) {
    const short2 left = limits - short2(down, right) - at;
    if (left.x <= 0 || left.y <= 0) return;
    const pair_type own = reinterpret_cast<thread pair_type &>(matrix.thread_elements());
    device U *row = to + (at.x + down) * stride + right;
    row[at.y] = static_cast<U>(own[0]);
    if (left.y > 1) row[at.y + 1] = static_cast<U>(own[1]);
  }
};

template <typename T, short Rows, short Columns>
struct Quilt {
  Patch<T> patches[Rows][Columns];
  METAL_FUNC thread Patch<T> *at(short r, short c) thread { return &patches[r][c]; }
};

template <typename T, typename U, short A, short B, short C>
METAL_FUNC void multiply(thread Quilt<T, A, C> &out, thread Quilt<U, A, B> &x, thread Quilt<U, B, C> &y) {
  for (short r = 0; r < A; ++r) {
    #pragma clang loop unroll(full)  // there and back
    for (short step = 0; step < C; ++step) {
      const short c = r % 2 == 0 ? step : C - 1 - step;
      for (short k = 0; k < B; ++k) {
        simdgroup_multiply_accumulate(out.at(r, c)->matrix, x.at(r, k)->matrix, y.at(k, c)->matrix,
                                      out.at(r, c)->matrix);
      }
    }
  }
}

// A sheet of memory in the threadgroup's, with zeros past its edges.
template <short Rows, short Columns, short Pitch, typename T>
METAL_FUNC void lay_out(device const T *from, int64_t stride, int64_t rows, int64_t columns, threadgroup T *to,
                        ushort lane) {
  for (short k = lane; k < Rows * Columns; k += 32) {
    const short r = k / Columns, c = k % Columns;
    to[r * Pitch + c] = r < rows && c < columns ? from[r * stride + c] : T(0);
  }
}

template <typename T, short Rows, short Columns, bool FirstTurned, bool SecondTurned>
[[kernel, max_total_threads_per_threadgroup(Rows * Columns * 8)]] void patchwork(
    const device T *a [[buffer(0)]], const device T *b [[buffer(1)]], device T *out [[buffer(2)]],
    const constant patch_sizes *sizes [[buffer(3)]],
    const device float *bias [[buffer(4), function_constant(with_bias)]],
    const constant float &scale [[buffer(5), function_constant(with_scale)]],
    uint3 tile [[threadgroup_position_in_grid]], ushort lane [[thread_index_in_simdgroup]]) {
  using Sums = Quilt<float, Rows, Columns>;
  constexpr short high = 8 * Rows, wide = 8 * Columns;
  constexpr short left_pitch = (FirstTurned ? high : 8) + 16 / sizeof(T);
  constexpr short right_pitch = (SecondTurned ? 8 : wide) + 16 / sizeof(T);
  threadgroup T left[(FirstTurned ? 8 : high) * left_pitch];
  threadgroup T right[(SecondTurned ? wide : 8) * right_pitch];
  const int64_t row0 = tile.y * high, column0 = tile.x * wide;
  const short2 at = Patch<T>::place(lane);
  const int64_t rows = whole_rows ? high : sizes->rows - row0;
  const int64_t columns = whole_columns ? wide : sizes->columns - column0;

  Sums sums;
  for (int k = 0; k < sizes->depth; k += 8) {
    const int64_t deep = sizes->depth - k;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (FirstTurned) {
      lay_out<8, high, left_pitch>(a + k * sizes->rows + row0, sizes->rows, deep, rows, left, lane);
    } else {
      lay_out<high, 8, left_pitch>(a + row0 * sizes->depth + k, sizes->depth, rows, deep, left, lane);
    }
    if (SecondTurned) {
      lay_out<wide, 8, right_pitch>(b + column0 * sizes->depth + k, sizes->depth, columns, deep, right, lane);
    } else {
      lay_out<8, wide, right_pitch>(b + k * sizes->columns + column0, sizes->columns, deep, columns, right, lane);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    Quilt<float, Rows, 1> x;
    Quilt<float, 1, Columns> y;
    constexpr short x_down = FirstTurned ? 1 : left_pitch, x_along = FirstTurned ? left_pitch : 1;
    for (short r = 0; r < Rows; ++r) x.at(r, 0)->load(left + 8 * r * x_down, x_down, x_along, at);
    const short y_down = SecondTurned ? 1 : right_pitch, y_along = SecondTurned ? right_pitch : 1;
    for (short c = 0; c < Columns; ++c) y.at(0, c)->load(right + 8 * c * y_along, y_down, y_along, at);
    multiply(sums, x, y);
  }

  const short2 limits(short(min(rows, int64_t(high))), short(min(columns, int64_t(wide))));
  for (short r = 0; r < Rows; ++r) {
    for (short c = 0; c < Columns; ++c) {
      thread auto *pair = sums.at(r, c)->pair();
      if (with_scale) {
        *pair *= scale;
      }
      if (with_bias) {
        (*pair)[0] += bias[column0 + 8 * c + at.y];
        pair->y += bias[column0 + 8 * c + at.y + 1];
      }
      sums.at(r, c)->store(out + row0 * sizes->columns + column0, int(sizes->columns), limits, at, 8 * c, 8 * r);
    }
  }
}

#define STAMP_PATCHWORK(type, rows, columns, first, second)                                          \
  template [[host_name("patchwork_" #type "_" #first "_" #second)]]                                  \
      [[kernel]] decltype(patchwork<type, rows, columns, first, second>)                             \
          patchwork<type, rows, columns, first, second>;
STAMP_PATCHWORK(half, 2, 2, false, false)
STAMP_PATCHWORK(half, 3, 2, false, true)
STAMP_PATCHWORK(float, 2, 2, true, false)
