// All swizzles of a vector of two, three or four: every word of two to four letters from xyzw, the same in rgba,
// and the same in numbers.
#pragma once

// The lists repeat per level as a macro cannot expand within itself.
#define ASSAY_LETTERS2_A(M, ...) M(x, r, 0, __VA_ARGS__) M(y, g, 1, __VA_ARGS__)
#define ASSAY_LETTERS3_A(M, ...) ASSAY_LETTERS2_A(M, __VA_ARGS__) M(z, b, 2, __VA_ARGS__)
#define ASSAY_LETTERS4_A(M, ...) ASSAY_LETTERS3_A(M, __VA_ARGS__) M(w, a, 3, __VA_ARGS__)
#define ASSAY_LETTERS2_B(M, ...) M(x, r, 0, __VA_ARGS__) M(y, g, 1, __VA_ARGS__)
#define ASSAY_LETTERS3_B(M, ...) ASSAY_LETTERS2_B(M, __VA_ARGS__) M(z, b, 2, __VA_ARGS__)
#define ASSAY_LETTERS4_B(M, ...) ASSAY_LETTERS3_B(M, __VA_ARGS__) M(w, a, 3, __VA_ARGS__)
#define ASSAY_LETTERS2_C(M, ...) M(x, r, 0, __VA_ARGS__) M(y, g, 1, __VA_ARGS__)
#define ASSAY_LETTERS3_C(M, ...) ASSAY_LETTERS2_C(M, __VA_ARGS__) M(z, b, 2, __VA_ARGS__)
#define ASSAY_LETTERS4_C(M, ...) ASSAY_LETTERS3_C(M, __VA_ARGS__) M(w, a, 3, __VA_ARGS__)
#define ASSAY_LETTERS2_D(M, ...) M(x, r, 0, __VA_ARGS__) M(y, g, 1, __VA_ARGS__)
#define ASSAY_LETTERS3_D(M, ...) ASSAY_LETTERS2_D(M, __VA_ARGS__) M(z, b, 2, __VA_ARGS__)
#define ASSAY_LETTERS4_D(M, ...) ASSAY_LETTERS3_D(M, __VA_ARGS__) M(w, a, 3, __VA_ARGS__)

// A word reads as its components in that order.
#define ASSAY_WORD2(d, h, l, c, g, k, n)                                                \
  template <class V>                                                                    \
  ASSAY_INLINE constexpr components_t<V, 2> assay_##c##d(this const V& v) {             \
    return {v.c, v.d};                                                                  \
  }                                                                                     \
  template <class V>                                                                    \
  ASSAY_INLINE assigned_t<V, k, l> assay_set_##c##d(this V&& v, components_t<V, 2> u) { \
    ASSAY_REFUSE_LOST_WRITES(V, k, l)                                                   \
    v.c = u.x, v.d = u.y;                                                               \
    return {v};                                                                         \
  }                                                                                     \
  ASSAY_PROPERTY(c##d, (c##d[], g##h[], s##k##l[]), k, l)
#define ASSAY_WORD3(d, h, l, c, g, k, b, f, j, n)                                             \
  template <class V>                                                                          \
  ASSAY_INLINE constexpr components_t<V, 3> assay_##b##c##d(this const V& v) {                \
    return {v.b, v.c, v.d};                                                                   \
  }                                                                                           \
  template <class V>                                                                          \
  ASSAY_INLINE assigned_t<V, j, k, l> assay_set_##b##c##d(this V&& v, components_t<V, 3> u) { \
    ASSAY_REFUSE_LOST_WRITES(V, j, k, l)                                                      \
    v.b = u.x, v.c = u.y, v.d = u.z;                                                          \
    return {v};                                                                               \
  }                                                                                           \
  ASSAY_PROPERTY(b##c##d, (b##c##d[], f##g##h[], s##j##k##l[]), j, k, l)
#define ASSAY_WORD4(d, h, l, c, g, k, b, f, j, a, e, i, n)                                          \
  template <class V>                                                                                \
  ASSAY_INLINE constexpr components_t<V, 4> assay_##a##b##c##d(this const V& v) {                   \
    return {v.a, v.b, v.c, v.d};                                                                    \
  }                                                                                                 \
  template <class V>                                                                                \
  ASSAY_INLINE assigned_t<V, i, j, k, l> assay_set_##a##b##c##d(this V&& v, components_t<V, 4> u) { \
    ASSAY_REFUSE_LOST_WRITES(V, i, j, k, l)                                                         \
    v.a = u.x, v.b = u.y, v.c = u.z, v.d = u.w;                                                     \
    return {v};                                                                                     \
  }                                                                                                 \
  ASSAY_PROPERTY(a##b##c##d, (a##b##c##d[], e##f##g##h[], s##i##j##k##l[]), i, j, k, l)

#define ASSAY_WORDS2_2(...) ASSAY_LETTERS2_D(ASSAY_WORD2, __VA_ARGS__)
#define ASSAY_WORDS3_2(...) ASSAY_LETTERS3_D(ASSAY_WORD2, __VA_ARGS__)
#define ASSAY_WORDS4_2(...) ASSAY_LETTERS4_D(ASSAY_WORD2, __VA_ARGS__)
#define ASSAY_WORDS2_3(...) ASSAY_LETTERS2_D(ASSAY_WORD3, __VA_ARGS__)
#define ASSAY_WORDS3_3(...) ASSAY_LETTERS3_D(ASSAY_WORD3, __VA_ARGS__)
#define ASSAY_WORDS4_3(...) ASSAY_LETTERS4_D(ASSAY_WORD3, __VA_ARGS__)
#define ASSAY_WORDS2_4(...) ASSAY_LETTERS2_D(ASSAY_WORD4, __VA_ARGS__)
#define ASSAY_WORDS3_4(...) ASSAY_LETTERS3_D(ASSAY_WORD4, __VA_ARGS__)
#define ASSAY_WORDS4_4(...) ASSAY_LETTERS4_D(ASSAY_WORD4, __VA_ARGS__)
#define ASSAY_WORDS2_3C(...) ASSAY_LETTERS2_C(ASSAY_WORDS2_3, __VA_ARGS__)
#define ASSAY_WORDS3_3C(...) ASSAY_LETTERS3_C(ASSAY_WORDS3_3, __VA_ARGS__)
#define ASSAY_WORDS4_3C(...) ASSAY_LETTERS4_C(ASSAY_WORDS4_3, __VA_ARGS__)
#define ASSAY_WORDS2_4C(...) ASSAY_LETTERS2_C(ASSAY_WORDS2_4, __VA_ARGS__)
#define ASSAY_WORDS3_4C(...) ASSAY_LETTERS3_C(ASSAY_WORDS3_4, __VA_ARGS__)
#define ASSAY_WORDS4_4C(...) ASSAY_LETTERS4_C(ASSAY_WORDS4_4, __VA_ARGS__)
#define ASSAY_WORDS2_4B(...) ASSAY_LETTERS2_B(ASSAY_WORDS2_4C, __VA_ARGS__)
#define ASSAY_WORDS3_4B(...) ASSAY_LETTERS3_B(ASSAY_WORDS3_4C, __VA_ARGS__)
#define ASSAY_WORDS4_4B(...) ASSAY_LETTERS4_B(ASSAY_WORDS4_4C, __VA_ARGS__)

#define ASSAY_SWIZZLES_2              \
  ASSAY_LETTERS2_A(ASSAY_WORDS2_2, 2) \
  ASSAY_LETTERS2_A(ASSAY_WORDS2_3C, 2) ASSAY_LETTERS2_A(ASSAY_WORDS2_4B, 2)
#define ASSAY_SWIZZLES_3              \
  ASSAY_LETTERS3_A(ASSAY_WORDS3_2, 3) \
  ASSAY_LETTERS3_A(ASSAY_WORDS3_3C, 3) ASSAY_LETTERS3_A(ASSAY_WORDS3_4B, 3)
#define ASSAY_SWIZZLES_4              \
  ASSAY_LETTERS4_A(ASSAY_WORDS4_2, 4) \
  ASSAY_LETTERS4_A(ASSAY_WORDS4_3C, 4) ASSAY_LETTERS4_A(ASSAY_WORDS4_4B, 4)

// One component by its number.
#define ASSAY_COMPONENT(letter, colour, number, ...)                                \
  template <class V>                                                                \
  ASSAY_INLINE constexpr auto& assay_component_##number(this V& v) {                \
    return v.letter;                                                                \
  }                                                                                 \
  template <class V>                                                                \
  ASSAY_INLINE constexpr auto assay_component_##number(this const V&& v) {          \
    return v.letter;                                                                \
  }                                                                                 \
  template <class V, class U>                                                       \
  ASSAY_INLINE constexpr auto assay_set_component_##number(this V& v, const U& u) { \
    return v.letter = u;                                                            \
  }                                                                                 \
  ASSAY_ALSO(component_##number, s##number, S##number)
#define ASSAY_COMPONENTS_2 ASSAY_LETTERS2_A(ASSAY_COMPONENT)
#define ASSAY_COMPONENTS_3 ASSAY_LETTERS3_A(ASSAY_COMPONENT)
#define ASSAY_COMPONENTS_4 ASSAY_LETTERS4_A(ASSAY_COMPONENT)
