// Vectors of half as floats, all components at once: four conversions in one instruction where there is one.
#pragma once
#include "metal/flushing.h"

namespace assay_msl {

// Not where sums and products are to be seen for what they are: the compiler does not know what the conversion
// instructions do.
#if defined(__F16C__) && !defined(ASSAY_CONTRACTED) && !defined(ASSAY_REASSOCIATED) && !defined(ASSAY_FLUSHED)
typedef float four __attribute__((vector_size(16)));
typedef short four_words __attribute__((vector_size(8)));
typedef short eight_words_of_four __attribute__((vector_size(16)));
typedef long two_longs __attribute__((vector_size(16)));

// Put together from its elements, whether they come from memory or from registers: the compiler loads
// adjacent elements at once, and never reads back in one piece what was stored in several.
template <int N>
ASSAY_INLINE four widen(const half (&s)[N]) {
  const four_words words = {bits_as<short>(s[0]), bits_as<short>(s[1]),
                            N > 2 ? bits_as<short>(s[N > 2 ? 2 : 0]) : short(0),
                            N > 3 ? bits_as<short>(s[N > 3 ? 3 : 0]) : short(0)};
  return __builtin_ia32_vcvtph2ps((eight_words_of_four)two_longs{(long)words, 0});
}
template <int N>
ASSAY_INLINE void narrow(four x, half (&s)[N]) {
  const eight_words_of_four words = __builtin_ia32_vcvtps2ph(x, 0);  // to nearest even
  s[0] = bits_as<half>(short(words[0]));
  s[1] = bits_as<half>(short(words[1]));
  if constexpr (N > 2) s[2] = bits_as<half>(short(words[2]));
  if constexpr (N > 3) s[3] = bits_as<half>(short(words[3]));
}
template <int N>
ASSAY_INLINE four gather_floats(const float (&s)[N]) {
  return four{s[0], s[1], N > 2 ? s[N > 2 ? 2 : 0] : 0, N > 3 ? s[N > 3 ? 3 : 0] : 0};
}
template <int N>
ASSAY_INLINE void scatter_floats(four x, float (&s)[N]) {
  s[0] = x[0];
  s[1] = x[1];
  if constexpr (N > 2) s[2] = x[2];
  if constexpr (N > 3) s[3] = x[3];
}
template <class T>
constexpr bool is_wide_half = is_same_v<T, half>;
#else
template <class T>
constexpr bool is_wide_half = false;
#endif

}  // namespace assay_msl
