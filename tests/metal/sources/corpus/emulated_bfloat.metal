// Bfloat made of an integer: constructors by address space, conversions limited by enable_if, operators made
// by macros, functions of the library given for it in the library's own namespace.
#include <metal_stdlib>
using namespace metal;

constexpr METAL_FUNC uint16_t bits_of_brain(float x) {
  if (isnan(x)) return 0x7FC0;
  uint32_t bits = as_type<uint32_t>(x);
  bits += ((bits >> 16) & 1) + as_type<uint32_t>(0x7FFF);
  return bits >> 16;
}
constexpr METAL_FUNC float float_of_brain(uint16_t x) { return as_type<float>((uint32_t)x << 16); }

struct _brain16;
template <typename T>
static constexpr constant bool to_brain = !is_same_v<T, _brain16> && is_convertible_v<T, float>;
template <typename T>
static constexpr constant bool from_brain = !is_same_v<T, _brain16> && is_convertible_v<float, T>;

struct _brain16 {
  uint16_t bits_;
  _brain16() thread = default;
  _brain16() threadgroup = default;
  _brain16() device = default;
  _brain16() constant = default;

  struct bits_tag {};
  static constexpr METAL_FUNC bits_tag bits() { return bits_tag(); }
  constexpr METAL_FUNC _brain16(uint16_t b, bits_tag) : bits_(b) {}

  template <typename T, typename = typename enable_if<to_brain<T>>::type>
  constexpr METAL_FUNC _brain16(T x) thread : bits_(bits_of_brain(static_cast<float>(x))) {}
  template <typename T, typename = typename enable_if<to_brain<T>>::type>
  constexpr METAL_FUNC _brain16(T x) threadgroup : bits_(bits_of_brain(static_cast<float>(x))) {}
  template <typename T, typename = typename enable_if<to_brain<T>>::type>
  constexpr METAL_FUNC _brain16(T x) device : bits_(bits_of_brain(static_cast<float>(x))) {}
  template <typename T, typename = typename enable_if<to_brain<T>>::type>
  constexpr METAL_FUNC _brain16(T x) constant : bits_(bits_of_brain(static_cast<float>(x))) {}

  template <typename T, typename = typename enable_if<from_brain<T>>::type>
  constexpr METAL_FUNC operator T() const thread {
    return static_cast<T>(float_of_brain(bits_));
  }
  template <typename T, typename = typename enable_if<from_brain<T>>::type>
  constexpr METAL_FUNC operator T() const threadgroup {
    return static_cast<T>(float_of_brain(bits_));
  }
  template <typename T, typename = typename enable_if<from_brain<T>>::type>
  constexpr METAL_FUNC operator T() const device {
    return static_cast<T>(float_of_brain(bits_));
  }
  template <typename T, typename = typename enable_if<from_brain<T>>::type>
  constexpr METAL_FUNC operator T() const constant {
    return static_cast<T>(float_of_brain(bits_));
  }
};
typedef struct _brain16 brain16;

constexpr METAL_FUNC brain16 operator-(brain16 x) { return -static_cast<float>(x); }
#define brain_binop_base(__op__, __operator__, otype, atype, btype, ctype) \
  constexpr METAL_FUNC otype __operator__(atype lhs, btype rhs) {          \
    return static_cast<ctype>(lhs) __op__ static_cast<ctype>(rhs);         \
  }
#define brain_binop_helper(__op__, __operator__, otype, itype, ctype)       \
  brain_binop_base(__op__, __operator__, otype, brain16, itype, ctype);     \
  brain_binop_base(__op__, __operator__, otype, itype, brain16, ctype);
#define brain_binop(__op__, __operator__)                                              \
  brain_binop_base(__op__, __operator__, brain16, brain16, brain16, float);            \
  brain_binop_helper(__op__, __operator__, float, float, float);                       \
  brain_binop_helper(__op__, __operator__, float, half, float);                        \
  brain_binop_helper(__op__, __operator__, brain16, int32_t, float);                   \
  brain_binop_helper(__op__, __operator__, brain16, uint32_t, float);                  \
  brain_binop_helper(__op__, __operator__, brain16, int64_t, float);                   \
  brain_binop_helper(__op__, __operator__, brain16, uint64_t, float);
brain_binop(+, operator+);
brain_binop(-, operator-);
brain_binop(*, operator*);
brain_binop(/, operator/);
#define brain_compop(__op__, __operator__)                             \
  brain_binop_base(__op__, __operator__, bool, brain16, brain16, float); \
  brain_binop_helper(__op__, __operator__, bool, float, float);        \
  brain_binop_helper(__op__, __operator__, bool, half, float);         \
  brain_binop_helper(__op__, __operator__, bool, int32_t, float);
brain_compop(>, operator>);
brain_compop(<, operator<);
brain_compop(>=, operator>=);
brain_compop(<=, operator<=);
brain_compop(==, operator==);
brain_compop(!=, operator!=);
#undef brain_compop
#undef brain_binop

#define brain_inplace_helper(__op__, __operator__, itype, space)                     \
  constexpr METAL_FUNC space brain16& __operator__(space brain16& lhs, itype rhs) {  \
    lhs = static_cast<float>(lhs) __op__ static_cast<float>(rhs);                    \
    return lhs;                                                                      \
  }
#define brain_inplace_spaces(__op__, __operator__, itype)         \
  brain_inplace_helper(__op__, __operator__, itype, device);      \
  brain_inplace_helper(__op__, __operator__, itype, thread);      \
  brain_inplace_helper(__op__, __operator__, itype, threadgroup);
brain_inplace_spaces(+, operator+=, float);
brain_inplace_spaces(+, operator+=, brain16);
brain_inplace_spaces(*, operator*=, float);

namespace metal {
template <>
struct _numeric_limits_impl<brain16> : _fp_numeric_limits_impl_base {
  static constexpr constant int digits = 8;
  static constexpr constant int digits10 = 2;
  static constexpr constant int max_digits10 = 4;
  static constexpr constant int radix = 2;
  static constexpr brain16 min() { return brain16(0x0080, brain16::bits()); }
  static constexpr brain16 lowest() { return brain16(0xFF7F, brain16::bits()); }
  static constexpr brain16 max() { return brain16(0x7F7F, brain16::bits()); }
  static constexpr brain16 infinity() { return brain16(0x7F80, brain16::bits()); }
};
METAL_FUNC bool isnan(brain16 x) { return x != x; }

#define instantiate_math(itype, otype, ctype, mfast)                                                     \
  METAL_FUNC otype abs(itype x) { return static_cast<otype>(__metal_fabs(static_cast<ctype>(x), mfast)); } \
  METAL_FUNC otype exp(itype x) { return static_cast<otype>(__metal_exp(static_cast<ctype>(x), mfast)); }  \
  METAL_FUNC otype max(itype x, itype y) {                                                               \
    return static_cast<otype>(__metal_fmax(static_cast<ctype>(x), static_cast<ctype>(y), mfast));        \
  }                                                                                                      \
  METAL_FUNC otype pow(itype x, itype y) {                                                               \
    return static_cast<otype>(__metal_pow(static_cast<ctype>(x), static_cast<ctype>(y), mfast));         \
  }                                                                                                      \
  METAL_FUNC otype tanpi(itype x) { return static_cast<otype>(__metal_tanpi(static_cast<ctype>(x), mfast)); } \
  METAL_FUNC otype erase_sign(itype x) { return abs(x); }
instantiate_math(brain16, brain16, float, __METAL_MAYBE_FAST_MATH__);
namespace fast {
instantiate_math(brain16, brain16, float, __METAL_FAST_MATH__);
}
namespace precise {
instantiate_math(brain16, brain16, float, __METAL_PRECISE_MATH__);
}
#define instantiate_lanes(itype, otype, ctype, itype_to_ctype, ctype_to_otype)              \
  METAL_FUNC otype simd_sum(itype data) { return ctype_to_otype(__metal_simd_sum(itype_to_ctype(data))); } \
  METAL_FUNC otype simd_max(itype data) { return ctype_to_otype(__metal_simd_max(itype_to_ctype(data))); } \
  METAL_FUNC otype simd_shuffle_down(itype data, ushort delta) {                            \
    return ctype_to_otype(__metal_simd_shuffle_down(itype_to_ctype(data), delta));          \
  }
#define as_float_of(x) static_cast<float>(x)
#define as_brain(x) static_cast<brain16>(x)
instantiate_lanes(brain16, brain16, float, as_float_of, as_brain);
}  // namespace metal

kernel void softmax_brain(device const brain16* in [[buffer(0)]], device brain16* out [[buffer(1)]],
                          constant uint& n [[buffer(2)]], uint lane [[thread_index_in_simdgroup]]) {
  brain16 largest = numeric_limits<brain16>::lowest();
  for (uint i = lane; i < n; i += 32) largest = metal::max(largest, in[i]);
  largest = simd_max(largest);
  brain16 sum = 0;
  for (uint i = lane; i < n; i += 32) sum += fast::exp(in[i] - largest);
  sum = simd_sum(sum);
  for (uint i = lane; i < n; i += 32) out[i] = metal::precise::exp(in[i] - largest) / sum;
}
kernel void accumulate_brain(device brain16* out [[buffer(0)]], const device brain16* in [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
  out[i] += in[i];
  out[i] *= 0.5f;
  brain16 t = -in[i] + 2 * out[i] - 1.0h;
  out[i] = isnan(t) || t > brain16(4) || t == 0 ? brain16(0) : t;
}
