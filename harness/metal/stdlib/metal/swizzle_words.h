// All swizzles of a vector: every word of two to four letters from xyzw, and the same in rgba.
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

#define ASSAY_WORD2(d, h, l, c, g, k, n) swizzle<T, n, vec<T, 2>, k, l> c##d, g##h;
#define ASSAY_WORD3(d, h, l, c, g, k, b, f, j, n) swizzle<T, n, vec<T, 3>, j, k, l> b##c##d, f##g##h;
#define ASSAY_WORD4(d, h, l, c, g, k, b, f, j, a, e, i, n) \
  swizzle<T, n, vec<T, 4>, i, j, k, l> a##b##c##d, e##f##g##h;

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
