// Components of vectors of 8 and 16: their halves, every other one, and by their numbers: `v.lo`, `v.s0246`. Of the
// numbers those that follow one another, up or down, in pairs, threes, fours and eights, all pairs of the first
// eight, and every second and fourth; others are no members.
#pragma once
#include "metal/swizzle.h"

namespace assay_msl {

template <int... I, class V>
ASSAY_INLINE components_t<V, sizeof...(I)> chosen(const V& v) {
  return {v.s[I]...};
}
template <int... I, class V>
ASSAY_INLINE void set_chosen(V& v, const components_t<V, sizeof...(I)>& u) {
  const components_t<V, sizeof...(I)> value(u);
  int i = 0;
  ((v.s[I] = value.s[i++]), ...);
}
template <int... I>
constexpr int count_of = sizeof...(I);

#define ASSAY_CHOSEN(word, names, ...)                                                \
  template <class V>                                                                  \
  ASSAY_INLINE components_t<V, count_of<__VA_ARGS__>> assay_##word(this const V& v) { \
    return chosen<__VA_ARGS__>(v);                                                    \
  }                                                                                   \
  template <class V>                                                                  \
  ASSAY_INLINE assigned_t<V, __VA_ARGS__> assay_set_##word(                           \
      this V&& v, const components_t<V, count_of<__VA_ARGS__>>& u) {                  \
    ASSAY_REFUSE_LOST_WRITES(V, __VA_ARGS__)                                          \
    set_chosen<__VA_ARGS__>(v, u);                                                    \
    return {v};                                                                       \
  }                                                                                   \
  ASSAY_PROPERTY(word, names, __VA_ARGS__)

template <>
struct swizzles<8> : swizzles<4> {
  ASSAY_CHOSEN(s0123, (lo[], s0123[]), 0, 1, 2, 3)
  ASSAY_CHOSEN(s4567, (hi[], s4567[]), 4, 5, 6, 7)
  ASSAY_CHOSEN(s0246, (even[], s0246[]), 0, 2, 4, 6)
  ASSAY_CHOSEN(s1357, (odd[], s1357[]), 1, 3, 5, 7)
  ASSAY_CHOSEN(s04, (s04[]), 0, 4)
  ASSAY_CHOSEN(s05, (s05[]), 0, 5)
  ASSAY_CHOSEN(s06, (s06[]), 0, 6)
  ASSAY_CHOSEN(s07, (s07[]), 0, 7)
  ASSAY_CHOSEN(s14, (s14[]), 1, 4)
  ASSAY_CHOSEN(s15, (s15[]), 1, 5)
  ASSAY_CHOSEN(s16, (s16[]), 1, 6)
  ASSAY_CHOSEN(s17, (s17[]), 1, 7)
  ASSAY_CHOSEN(s24, (s24[]), 2, 4)
  ASSAY_CHOSEN(s25, (s25[]), 2, 5)
  ASSAY_CHOSEN(s26, (s26[]), 2, 6)
  ASSAY_CHOSEN(s27, (s27[]), 2, 7)
  ASSAY_CHOSEN(s34, (s34[]), 3, 4)
  ASSAY_CHOSEN(s35, (s35[]), 3, 5)
  ASSAY_CHOSEN(s36, (s36[]), 3, 6)
  ASSAY_CHOSEN(s37, (s37[]), 3, 7)
  ASSAY_CHOSEN(s40, (s40[]), 4, 0)
  ASSAY_CHOSEN(s41, (s41[]), 4, 1)
  ASSAY_CHOSEN(s42, (s42[]), 4, 2)
  ASSAY_CHOSEN(s43, (s43[]), 4, 3)
  ASSAY_CHOSEN(s44, (s44[]), 4, 4)
  ASSAY_CHOSEN(s45, (s45[]), 4, 5)
  ASSAY_CHOSEN(s46, (s46[]), 4, 6)
  ASSAY_CHOSEN(s47, (s47[]), 4, 7)
  ASSAY_CHOSEN(s50, (s50[]), 5, 0)
  ASSAY_CHOSEN(s51, (s51[]), 5, 1)
  ASSAY_CHOSEN(s52, (s52[]), 5, 2)
  ASSAY_CHOSEN(s53, (s53[]), 5, 3)
  ASSAY_CHOSEN(s54, (s54[]), 5, 4)
  ASSAY_CHOSEN(s55, (s55[]), 5, 5)
  ASSAY_CHOSEN(s56, (s56[]), 5, 6)
  ASSAY_CHOSEN(s57, (s57[]), 5, 7)
  ASSAY_CHOSEN(s60, (s60[]), 6, 0)
  ASSAY_CHOSEN(s61, (s61[]), 6, 1)
  ASSAY_CHOSEN(s62, (s62[]), 6, 2)
  ASSAY_CHOSEN(s63, (s63[]), 6, 3)
  ASSAY_CHOSEN(s64, (s64[]), 6, 4)
  ASSAY_CHOSEN(s65, (s65[]), 6, 5)
  ASSAY_CHOSEN(s66, (s66[]), 6, 6)
  ASSAY_CHOSEN(s67, (s67[]), 6, 7)
  ASSAY_CHOSEN(s70, (s70[]), 7, 0)
  ASSAY_CHOSEN(s71, (s71[]), 7, 1)
  ASSAY_CHOSEN(s72, (s72[]), 7, 2)
  ASSAY_CHOSEN(s73, (s73[]), 7, 3)
  ASSAY_CHOSEN(s74, (s74[]), 7, 4)
  ASSAY_CHOSEN(s75, (s75[]), 7, 5)
  ASSAY_CHOSEN(s76, (s76[]), 7, 6)
  ASSAY_CHOSEN(s77, (s77[]), 7, 7)
  ASSAY_CHOSEN(s234, (s234[]), 2, 3, 4)
  ASSAY_CHOSEN(s432, (s432[]), 4, 3, 2)
  ASSAY_CHOSEN(s345, (s345[]), 3, 4, 5)
  ASSAY_CHOSEN(s543, (s543[]), 5, 4, 3)
  ASSAY_CHOSEN(s456, (s456[]), 4, 5, 6)
  ASSAY_CHOSEN(s654, (s654[]), 6, 5, 4)
  ASSAY_CHOSEN(s567, (s567[]), 5, 6, 7)
  ASSAY_CHOSEN(s765, (s765[]), 7, 6, 5)
  ASSAY_CHOSEN(s1234, (s1234[]), 1, 2, 3, 4)
  ASSAY_CHOSEN(s4321, (s4321[]), 4, 3, 2, 1)
  ASSAY_CHOSEN(s2345, (s2345[]), 2, 3, 4, 5)
  ASSAY_CHOSEN(s5432, (s5432[]), 5, 4, 3, 2)
  ASSAY_CHOSEN(s3456, (s3456[]), 3, 4, 5, 6)
  ASSAY_CHOSEN(s6543, (s6543[]), 6, 5, 4, 3)
  ASSAY_CHOSEN(s7654, (s7654[]), 7, 6, 5, 4)
  ASSAY_CHOSEN(s01234567, (s01234567[]), 0, 1, 2, 3, 4, 5, 6, 7)
  ASSAY_CHOSEN(s76543210, (s76543210[]), 7, 6, 5, 4, 3, 2, 1, 0)
  ASSAY_PART(assay_s0123, 4, 0)
  ASSAY_PART(assay_s4567, 4, 4)
};
template <>
struct swizzles<16> : swizzles<8> {
  ASSAY_CHOSEN(s01234567, (lo[], s01234567[]), 0, 1, 2, 3, 4, 5, 6, 7)
  ASSAY_CHOSEN(s89abcdef, (hi[], s89abcdef[], s89ABCDEF[]), 8, 9, 10, 11, 12, 13, 14, 15)
  ASSAY_CHOSEN(s02468ace, (even[], s02468ace[], s02468ACE[]), 0, 2, 4, 6, 8, 10, 12, 14)
  ASSAY_CHOSEN(s13579bdf, (odd[], s13579bdf[], s13579BDF[]), 1, 3, 5, 7, 9, 11, 13, 15)
  ASSAY_CHOSEN(s048c, (s048c[], s048C[]), 0, 4, 8, 12)
  ASSAY_CHOSEN(s159d, (s159d[], s159D[]), 1, 5, 9, 13)
  ASSAY_CHOSEN(s26ae, (s26ae[], s26AE[]), 2, 6, 10, 14)
  ASSAY_CHOSEN(s37bf, (s37bf[], s37BF[]), 3, 7, 11, 15)
  ASSAY_CHOSEN(s78, (s78[]), 7, 8)
  ASSAY_CHOSEN(s87, (s87[]), 8, 7)
  ASSAY_CHOSEN(s89, (s89[]), 8, 9)
  ASSAY_CHOSEN(s98, (s98[]), 9, 8)
  ASSAY_CHOSEN(s9a, (s9a[], s9A[]), 9, 10)
  ASSAY_CHOSEN(sa9, (sa9[], sA9[]), 10, 9)
  ASSAY_CHOSEN(sab, (sab[], sAB[]), 10, 11)
  ASSAY_CHOSEN(sba, (sba[], sBA[]), 11, 10)
  ASSAY_CHOSEN(sbc, (sbc[], sBC[]), 11, 12)
  ASSAY_CHOSEN(scb, (scb[], sCB[]), 12, 11)
  ASSAY_CHOSEN(scd, (scd[], sCD[]), 12, 13)
  ASSAY_CHOSEN(sdc, (sdc[], sDC[]), 13, 12)
  ASSAY_CHOSEN(sde, (sde[], sDE[]), 13, 14)
  ASSAY_CHOSEN(sed, (sed[], sED[]), 14, 13)
  ASSAY_CHOSEN(sef, (sef[], sEF[]), 14, 15)
  ASSAY_CHOSEN(sfe, (sfe[], sFE[]), 15, 14)
  ASSAY_CHOSEN(s678, (s678[]), 6, 7, 8)
  ASSAY_CHOSEN(s876, (s876[]), 8, 7, 6)
  ASSAY_CHOSEN(s789, (s789[]), 7, 8, 9)
  ASSAY_CHOSEN(s987, (s987[]), 9, 8, 7)
  ASSAY_CHOSEN(s89a, (s89a[], s89A[]), 8, 9, 10)
  ASSAY_CHOSEN(sa98, (sa98[], sA98[]), 10, 9, 8)
  ASSAY_CHOSEN(s9ab, (s9ab[], s9AB[]), 9, 10, 11)
  ASSAY_CHOSEN(sba9, (sba9[], sBA9[]), 11, 10, 9)
  ASSAY_CHOSEN(sabc, (sabc[], sABC[]), 10, 11, 12)
  ASSAY_CHOSEN(scba, (scba[], sCBA[]), 12, 11, 10)
  ASSAY_CHOSEN(sbcd, (sbcd[], sBCD[]), 11, 12, 13)
  ASSAY_CHOSEN(sdcb, (sdcb[], sDCB[]), 13, 12, 11)
  ASSAY_CHOSEN(scde, (scde[], sCDE[]), 12, 13, 14)
  ASSAY_CHOSEN(sedc, (sedc[], sEDC[]), 14, 13, 12)
  ASSAY_CHOSEN(sdef, (sdef[], sDEF[]), 13, 14, 15)
  ASSAY_CHOSEN(sfed, (sfed[], sFED[]), 15, 14, 13)
  ASSAY_CHOSEN(s5678, (s5678[]), 5, 6, 7, 8)
  ASSAY_CHOSEN(s8765, (s8765[]), 8, 7, 6, 5)
  ASSAY_CHOSEN(s6789, (s6789[]), 6, 7, 8, 9)
  ASSAY_CHOSEN(s9876, (s9876[]), 9, 8, 7, 6)
  ASSAY_CHOSEN(s789a, (s789a[], s789A[]), 7, 8, 9, 10)
  ASSAY_CHOSEN(sa987, (sa987[], sA987[]), 10, 9, 8, 7)
  ASSAY_CHOSEN(s89ab, (s89ab[], s89AB[]), 8, 9, 10, 11)
  ASSAY_CHOSEN(sba98, (sba98[], sBA98[]), 11, 10, 9, 8)
  ASSAY_CHOSEN(s9abc, (s9abc[], s9ABC[]), 9, 10, 11, 12)
  ASSAY_CHOSEN(scba9, (scba9[], sCBA9[]), 12, 11, 10, 9)
  ASSAY_CHOSEN(sabcd, (sabcd[], sABCD[]), 10, 11, 12, 13)
  ASSAY_CHOSEN(sdcba, (sdcba[], sDCBA[]), 13, 12, 11, 10)
  ASSAY_CHOSEN(sbcde, (sbcde[], sBCDE[]), 11, 12, 13, 14)
  ASSAY_CHOSEN(sedcb, (sedcb[], sEDCB[]), 14, 13, 12, 11)
  ASSAY_CHOSEN(scdef, (scdef[], sCDEF[]), 12, 13, 14, 15)
  ASSAY_CHOSEN(sfedc, (sfedc[], sFEDC[]), 15, 14, 13, 12)
  ASSAY_CHOSEN(s12345678, (s12345678[]), 1, 2, 3, 4, 5, 6, 7, 8)
  ASSAY_CHOSEN(s87654321, (s87654321[]), 8, 7, 6, 5, 4, 3, 2, 1)
  ASSAY_CHOSEN(s23456789, (s23456789[]), 2, 3, 4, 5, 6, 7, 8, 9)
  ASSAY_CHOSEN(s98765432, (s98765432[]), 9, 8, 7, 6, 5, 4, 3, 2)
  ASSAY_CHOSEN(s3456789a, (s3456789a[], s3456789A[]), 3, 4, 5, 6, 7, 8, 9, 10)
  ASSAY_CHOSEN(sa9876543, (sa9876543[], sA9876543[]), 10, 9, 8, 7, 6, 5, 4, 3)
  ASSAY_CHOSEN(s456789ab, (s456789ab[], s456789AB[]), 4, 5, 6, 7, 8, 9, 10, 11)
  ASSAY_CHOSEN(sba987654, (sba987654[], sBA987654[]), 11, 10, 9, 8, 7, 6, 5, 4)
  ASSAY_CHOSEN(s56789abc, (s56789abc[], s56789ABC[]), 5, 6, 7, 8, 9, 10, 11, 12)
  ASSAY_CHOSEN(scba98765, (scba98765[], sCBA98765[]), 12, 11, 10, 9, 8, 7, 6, 5)
  ASSAY_CHOSEN(s6789abcd, (s6789abcd[], s6789ABCD[]), 6, 7, 8, 9, 10, 11, 12, 13)
  ASSAY_CHOSEN(sdcba9876, (sdcba9876[], sDCBA9876[]), 13, 12, 11, 10, 9, 8, 7, 6)
  ASSAY_CHOSEN(s789abcde, (s789abcde[], s789ABCDE[]), 7, 8, 9, 10, 11, 12, 13, 14)
  ASSAY_CHOSEN(sedcba987, (sedcba987[], sEDCBA987[]), 14, 13, 12, 11, 10, 9, 8, 7)
  ASSAY_CHOSEN(sfedcba98, (sfedcba98[], sFEDCBA98[]), 15, 14, 13, 12, 11, 10, 9, 8)
  ASSAY_PART(assay_s01234567, 8, 0)
  ASSAY_PART(assay_s89abcdef, 8, 8)
};

}  // namespace assay_msl
