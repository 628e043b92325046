// Conformance: matrices by what each lane holds of them; a second copy of the library in one program.
#define assay_msl assay_msl_fragments
#define ASSAY_DISTRIBUTED_MATRICES
#include "assay/metal.h"
#include "tests/metal_stdlib/units/check.h"

using namespace metal;

namespace {

struct Blend {
  float of_product, of_rest;
  template <class T>
  float apply(float product, T rest) const {
    return of_product * product + of_rest * float(rest);
  }
};

// The lane's row, and the first of its two columns.
ushort2 place_of(uint lane) {
  return ushort2(ushort(lane / 16 * 4 + lane % 8 / 2), ushort(lane / 8 % 2 * 4 + lane % 2 * 2));
}

template <class T, class Matrix>
void load_pair(Matrix& m, const T* from, ushort2 at, bool turned) {
  typedef vec<T, 2> pair_type;
  pair_type& pair = *reinterpret_cast<pair_type*>(&m.thread_elements());
  if (turned) at = at.yx;
  pair = turned ? pair_type(from[at.x * 8 + at.y], from[(at.x + 1) * 8 + at.y])
                : pair_type(from[at.x * 8 + at.y], from[at.x * 8 + at.y + 1]);
}

template <class Change>
void blend(const half* a, const half* b, half* c, Change change) {
  const ushort2 at = place_of(assay_lane->index_in_simdgroup);
  simdgroup_matrix<remove_cv_t<remove_reference_t<decltype(a[0])>>, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> sum(0);
  load_pair(x, a, at, false);
  load_pair(y, b, at, true);
  simdgroup_multiply_accumulate(sum, x, y, sum);
  for (ushort k = 0; k < 2; ++k) {
    half& out = c[at.x * 8 + at.y + k];
    out = half(change.apply(sum.thread_elements()[k], out));
  }
}

}  // namespace

extern "C" void conformance_blend(const void* a, const void* b, void* c, float of_product, float of_rest) {
  blend((const half*)a, (const half*)b, (half*)c, Blend{of_product, of_rest});
}
