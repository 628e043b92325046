// Simdgroup matrices, for one implementation: NAME(x) names a function of it. Included once by each
// matrix_*_unit.cpp after the library.
#pragma once

using namespace metal;

struct MatrixPlace {
  unsigned long elements_per_row, column, row;
  bool transpose;
};

// d = a b + c, then d = a b + d as often as it takes to have done `times` products.
template <class A, class B, class C, class D>
static void multiply_accumulate(int times, const void* a, const void* b, const void* c, void* d) {
  simdgroup_matrix<A, 8, 8> ma;
  simdgroup_matrix<B, 8, 8> mb;
  simdgroup_matrix<C, 8, 8> mc;
  simdgroup_matrix<D, 8, 8> md;
  simdgroup_load(ma, static_cast<const A*>(a));
  simdgroup_load(mb, static_cast<const B*>(b));
  simdgroup_load(mc, static_cast<const C*>(c));
  simdgroup_multiply_accumulate(md, ma, mb, mc);
  for (int i = 1; i < times; ++i) simdgroup_multiply_accumulate(md, ma, mb, md);
  simdgroup_store(md, static_cast<D*>(d));
}

template <class T>
static void copy(const void* source, const MatrixPlace* from, void* target, const MatrixPlace* to) {
  simdgroup_matrix<T, 8, 8> m;
  simdgroup_load(m, static_cast<const T*>(source), from->elements_per_row, ulong2(from->column, from->row),
                 from->transpose);
  simdgroup_store(m, static_cast<T*>(target), to->elements_per_row, ulong2(to->column, to->row),
                  to->transpose);
}

extern "C" {

void NAME(multiply_accumulate)(int types, int times, const void* a, const void* b, const void* c, void* d) {
  switch (types) {
    case 0:
      return multiply_accumulate<half, half, float, float>(times, a, b, c, d);
    case 1:
      return multiply_accumulate<float, float, float, float>(times, a, b, c, d);
    case 2:
      return multiply_accumulate<half, half, half, half>(times, a, b, c, d);
    case 3:
      return multiply_accumulate<bfloat, bfloat, float, float>(times, a, b, c, d);
    case 4:
      return multiply_accumulate<bfloat, bfloat, bfloat, bfloat>(times, a, b, c, d);
    default:
      return multiply_accumulate<float, half, float, float>(times, a, b, c, d);
  }
}

void NAME(copy)(int type, const void* source, const MatrixPlace* from, void* target, const MatrixPlace* to) {
  if (type == 0) copy<half>(source, from, target, to);
  if (type == 1) copy<float>(source, from, target, to);
  if (type == 2) copy<bfloat>(source, from, target, to);
}

/// Constructors, copies and in-place products; `result` is 5 matrices of 64 floats.
void NAME(values)(const float* source, float* result) {
  simdgroup_store(simdgroup_float8x8(2.5f), result);
  const auto filled = make_filled_simdgroup_matrix<float, 8, 8>(-1.0f);
  simdgroup_store(filled, result + 64);
  simdgroup_float8x8 m[2];
  simdgroup_load(m[0], source);
  m[1] = m[0];
  simdgroup_multiply(m[0], m[0], m[0]);
  simdgroup_store(m[0], result + 128);
  simdgroup_store(m[1], result + 192);
  const simdgroup_float8x8 product = m[1] * filled;
  simdgroup_store(product, result + 256);
}

void NAME(places)(half* memory) {
#line 2001 "kernel.metal"
  simdgroup_half8x8 m;
  simdgroup_load(m, memory + 3, 24);
  simdgroup_store(m, memory, 16, ulong2(8, 2));
  simdgroup_multiply_accumulate(m, m, m, m);
}

}  // extern "C"
