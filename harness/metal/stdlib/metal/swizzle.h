// The multi-component accesses of vectors: `v.xyz`, `v.wzyx = u`, `v.xy += 1`.
#pragma once
#include "metal/type_traits.h"

namespace assay_msl {

template <class T, int N>
struct vec;

/// One name of several components of a vector of N: lies over the vector's own storage, in a union with it.
/// V is the vector type it reads as. A type of its own copies as that vector does, components and not
/// storage.
template <class T, int N, class V, int... I>
struct swizzle {
  T s[N];

  ASSAY_INLINE operator V() const { return V(s[I]...); }
  ASSAY_INLINE swizzle& operator=(const V& v) {
    const V value(v);
    int i = 0;
    ((s[I] = value.s[i++]), ...);
    return *this;
  }
  ASSAY_INLINE swizzle& operator=(const swizzle& other) { return *this = V(other); }
  ASSAY_INLINE T& operator[](int i) {
    constexpr int component[] = {I...};
    return s[component[i]];
  }
  ASSAY_INLINE const T& operator[](int i) const { return const_cast<swizzle&>(*this)[i]; }
};

/// What lowering puts around a swizzle where a vector has to stand (harness/metal/swizzles.hpp), and around
/// what is called like one: that stays what it is. Nothing can be assigned to the vector.
template <class A, class Itself>
struct whole_of {
  typedef Itself type;
};
template <class T, int N, class V, int... I, class Itself>
struct whole_of<swizzle<T, N, V, I...>, Itself> {
  typedef const V type;
};
template <class A>
ASSAY_INLINE constexpr typename whole_of<decay_t<A>, A&&>::type whole(A&& a) {
  return static_cast<A&&>(a);
}

/// What lowering writes for `v.lo.x = 1` and `v.wzy.xy = u`: components J of a swizzle, to be changed. Of what is
/// called like one and is none, `member` gives the member of that name.
template <int J, class T, int N, class V, int... I, class Member>
ASSAY_INLINE T& part(swizzle<T, N, V, I...>& a, const Member&) {
  return a[J];
}
template <int J, int K, int... L, class T, int N, class V, int... I, class Member>
ASSAY_INLINE auto& part(swizzle<T, N, V, I...>& a, const Member&) {
  constexpr int component[] = {I...};
  typedef swizzle<T, N, vec<T, 2 + int(sizeof...(L))>, component[J], component[K], component[L]...> chosen;
  return *reinterpret_cast<chosen*>(a.s);
}
template <int... J, class A, class Member>
ASSAY_INLINE auto&& part(A&& a, const Member& member) {
  return member(a);
}

#define ASSAY_SWIZZLE_COMPOUND(op)                                                             \
  template <class T, int N, class V, int... I, class B>                                        \
  ASSAY_INLINE swizzle<T, N, V, I...>& operator op##=(swizzle<T, N, V, I...>& a, const B& b) { \
    return a = V(a) op b;                                                                      \
  }
ASSAY_SWIZZLE_COMPOUND(+)
ASSAY_SWIZZLE_COMPOUND(-)
ASSAY_SWIZZLE_COMPOUND(*)
ASSAY_SWIZZLE_COMPOUND(/)
ASSAY_SWIZZLE_COMPOUND(%)
ASSAY_SWIZZLE_COMPOUND(&)
ASSAY_SWIZZLE_COMPOUND(|)
ASSAY_SWIZZLE_COMPOUND(^)
ASSAY_SWIZZLE_COMPOUND(<<)
ASSAY_SWIZZLE_COMPOUND(>>)
#undef ASSAY_SWIZZLE_COMPOUND

/// Stands for a word with a letter past the vector's last component: a member without operations.
struct no_swizzle {};
constexpr int letter_index(char letter) {
  return letter == 'x' || letter == 'r'   ? 0
         : letter == 'y' || letter == 'g' ? 1
         : letter == 'z' || letter == 'b' ? 2
                                          : 3;
}
/// The components that `word` names, two bits each from the first up, under a leading 1; -1 if past n.
template <int size>
constexpr int word_code(const char (&word)[size], int n) {
  int code = 1;
  for (int i = size - 2; i >= 0; --i) {
    if (letter_index(word[i]) >= n) return -1;
    code = code * 4 + letter_index(word[i]);
  }
  return code;
}
template <class T, int N, int code,
          int length = (code<0 || code> 255 ? 4
                        : code > 63         ? 3
                                            : 2)>
struct swizzle_of {
  typedef swizzle<T, N, vec<T, 2>, code & 3, (code >> 2) & 3> type;
};
template <class T, int N, int code>
struct swizzle_of<T, N, code, 3> {
  typedef swizzle<T, N, vec<T, 3>, code & 3, (code >> 2) & 3, (code >> 4) & 3> type;
};
template <class T, int N, int code>
struct swizzle_of<T, N, code, 4> {
  typedef swizzle<T, N, vec<T, 4>, code & 3, (code >> 2) & 3, (code >> 4) & 3, (code >> 6) & 3> type;
};
template <class T, int N>
struct swizzle_of<T, N, -1, 4> {
  typedef no_swizzle type;
};

}  // namespace assay_msl

// ASSAY_SWIZZLES_n declares the swizzles of a vector of n as members of a union (T is its element type).
// All of them cost 20 ms of compile time per type of four elements, so that whoever knows which words the
// text uses names them: `#define ASSAY_SWIZZLES(word) word(xy) word(xyz)`.
#ifdef ASSAY_SWIZZLES
#define ASSAY_SWIZZLE_MEMBER2(word) typename swizzle_of<T, 2, word_code(#word, 2)>::type word;
#define ASSAY_SWIZZLE_MEMBER3(word) typename swizzle_of<T, 3, word_code(#word, 3)>::type word;
#define ASSAY_SWIZZLE_MEMBER4(word) typename swizzle_of<T, 4, word_code(#word, 4)>::type word;
#define ASSAY_SWIZZLES_2 ASSAY_SWIZZLES(ASSAY_SWIZZLE_MEMBER2)
#define ASSAY_SWIZZLES_3 ASSAY_SWIZZLES(ASSAY_SWIZZLE_MEMBER3)
#define ASSAY_SWIZZLES_4 ASSAY_SWIZZLES(ASSAY_SWIZZLE_MEMBER4)
#else
#include "metal/swizzle_words.h"
#endif
