// Operators of a bfloat and a float or half, as part of the class: what they give is a float, and so they are the
// float's (harness/metal/ir/text_places.hpp).
#define ASSAY_MIXED_BFLOAT(op)                                                                     \
  friend constexpr float operator op(bfloat a, float b) { return float(a) op b; }                  \
  friend constexpr float operator op(float a, bfloat b) { return a op float(b); }                  \
  friend constexpr float operator op(bfloat a, half b) { return float(a) op float(b); }            \
  friend constexpr float operator op(half a, bfloat b) { return float(a) op float(b); }
ASSAY_MIXED_BFLOAT(+)
ASSAY_MIXED_BFLOAT(-)
ASSAY_MIXED_BFLOAT(*)
ASSAY_MIXED_BFLOAT(/)
#undef ASSAY_MIXED_BFLOAT
