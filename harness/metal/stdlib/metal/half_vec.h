// Vectors of half as floats, all components at once: four conversions in one instruction where there is one.
#pragma once
#include "metal/type_traits.h"

namespace metal {

#ifdef __F16C__
typedef float assay_detail::four __attribute__((vector_size(16)));
typedef short assay_detail::four_words __attribute__((vector_size(8)));
typedef short assay_detail::eight_words_of_four __attribute__((vector_size(16)));
typedef long assay_detail::two_longs __attribute__((vector_size(16)));

// Put together from its elements, whether they come from memory or from registers: the compiler loads
// adjacent elements at once, and never reads back in one piece what was stored in several.
template <int N>
ASSAY_INLINE assay_detail::four assay_detail::widen(const half (&s)[N]) {
  const assay_detail::four_words words = {assay_detail::bits_as<short>(s[0]), assay_detail::bits_as<short>(s[1]),
                            N > 2 ? assay_detail::bits_as<short>(s[N > 2 ? 2 : 0]) : short(0),
                            N > 3 ? assay_detail::bits_as<short>(s[N > 3 ? 3 : 0]) : short(0)};
  return __builtin_ia32_vcvtph2ps((assay_detail::eight_words_of_four)assay_detail::two_longs{(long)words, 0});
}
template <int N>
ASSAY_INLINE void assay_detail::narrow(assay_detail::four x, half (&s)[N]) {
  const assay_detail::eight_words_of_four words = __builtin_ia32_vcvtps2ph(x, 0);  // to nearest even
  s[0] = assay_detail::bits_as<half>(short(words[0]));
  s[1] = assay_detail::bits_as<half>(short(words[1]));
  if constexpr (N > 2) s[2] = assay_detail::bits_as<half>(short(words[2]));
  if constexpr (N > 3) s[3] = assay_detail::bits_as<half>(short(words[3]));
}
template <int N>
ASSAY_INLINE assay_detail::four assay_detail::gather_floats(const float (&s)[N]) {
  return assay_detail::four{s[0], s[1], N > 2 ? s[N > 2 ? 2 : 0] : 0, N > 3 ? s[N > 3 ? 3 : 0] : 0};
}
template <int N>
ASSAY_INLINE void assay_detail::scatter_floats(assay_detail::four x, float (&s)[N]) {
  s[0] = x[0];
  s[1] = x[1];
  if constexpr (N > 2) s[2] = x[2];
  if constexpr (N > 3) s[3] = x[3];
}
template <class T>
constexpr bool assay_detail::is_wide_half = is_same_v<T, half>;
#else
template <class T>
constexpr bool assay_detail::is_wide_half = false;
#endif

}  // namespace metal
