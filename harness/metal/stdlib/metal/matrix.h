// assay_msl::matrix<T, C, R>: C columns of R elements, column-major.
#pragma once
#include "metal/vec.h"

namespace assay_msl {

/// The columns of a matrix while it is made: a constant one is of named components (vec.h).
template <class T, int C, int R>
struct columns_of {
  T element[C * R];

  constexpr vec<T, R> operator[](int c) const {
    const T* of = element + c * R;
    if constexpr (R == 2) return vec<T, R>(of[0], of[1]);
    if constexpr (R == 3) return vec<T, R>(of[0], of[1], of[2]);
    if constexpr (R == 4) return vec<T, R>(of[0], of[1], of[2], of[3]);
  }
};
template <class T, int C, int R>
struct given_columns {
  vec<T, R> column[C];

  constexpr const vec<T, R>& operator[](int c) const { return column[c]; }
};
template <int... i>
struct indices {};
/// indices<0, ..., n - 1>
template <int n, int... i>
struct indices_below : indices_below<n - 1, n - 1, i...> {};
template <int... i>
struct indices_below<0, i...> {
  typedef indices<i...> type;
};

template <class T, int C, int R>
struct matrix {
  vec<T, R> columns[C];

  matrix() = default;
  /// `diagonal` on the diagonal, zero elsewhere.
  template <class U, class = enable_if_t<scalar_kind<U> != 0>>
  constexpr explicit matrix(U diagonal)
      : matrix(on_the_diagonal(convert<T>(diagonal), typename indices_below<C * R>::type()), all_columns()) {}
  template <class U>
  explicit matrix(const matrix<U, C, R>& m) {
    for (int c = 0; c < C; ++c) columns[c] = vec<T, R>(m.columns[c]);
  }
  /// From C columns, or C * R elements in column-major order.
  template <class A, class B, class... Rest, class = enable_if_t<scalar_kind<value_t<A>> != 0 || is_vec_v<A>>>
  constexpr matrix(const A& first, const B& second, const Rest&... rest)
      : matrix(gathered(first, second, rest...), all_columns()) {}
  // Columns in braces, from which no type can be deduced.
  constexpr matrix(const vec<T, R>& a, const vec<T, R>& b)
      : matrix(given_columns<T, C, R>{{a, b}}, all_columns()) {
    static_assert(C == 2, "a matrix is made of C columns or C * R elements");
  }
  constexpr matrix(const vec<T, R>& a, const vec<T, R>& b, const vec<T, R>& c)
      : matrix(given_columns<T, C, R>{{a, b, c}}, all_columns()) {
    static_assert(C == 3, "a matrix is made of C columns or C * R elements");
  }
  constexpr matrix(const vec<T, R>& a, const vec<T, R>& b, const vec<T, R>& c, const vec<T, R>& d)
      : matrix(given_columns<T, C, R>{{a, b, c, d}}, all_columns()) {
    static_assert(C == 4, "a matrix is made of C columns or C * R elements");
  }
  template <class I>
  ASSAY_INLINE vec<T, R>& operator[](I column) {
    return columns[ASSAY_INDEX(C, column)];
  }
  template <class I>
  ASSAY_INLINE const vec<T, R>& operator[](I column) const {
    return columns[ASSAY_INDEX(C, column)];
  }

 private:
  typedef typename indices_below<C>::type all_columns;

  template <class From, int... c>
  constexpr matrix(const From& from, indices<c...>) : columns{from[c]...} {}

  template <int... i>
  static constexpr columns_of<T, C, R> on_the_diagonal(T value, indices<i...>) {
    return {{(i / R == i % R ? value : T(0))...}};
  }
  template <class A, class... Rest>
  static constexpr auto gathered(const A& first, const Rest&... rest) {
    static_assert(1 + sizeof...(Rest) == (is_vec_v<A> ? C : C * R),
                  "a matrix is made of C columns or C * R elements");
    if constexpr (is_vec_v<A>) {
      return given_columns<T, C, R>{{first, rest...}};
    } else {
      return columns_of<T, C, R>{{convert<T>(first), convert<T>(rest)...}};
    }
  }

 public:
#define ASSAY_BY_COLUMN(op)                                                  \
  friend ASSAY_INLINE matrix operator op(const matrix& a, const matrix& b) { \
    matrix r;                                                                \
    for (int c = 0; c < C; ++c) r.columns[c] = a.columns[c] op b.columns[c]; \
    return r;                                                                \
  }                                                                          \
  friend ASSAY_INLINE matrix& operator op##=(matrix& a, const matrix& b) { return a = a op b; }
  ASSAY_BY_COLUMN(+)
  ASSAY_BY_COLUMN(-)
#undef ASSAY_BY_COLUMN
  friend ASSAY_INLINE matrix operator-(const matrix& a) {
    matrix r;
    for (int c = 0; c < C; ++c) r.columns[c] = -a.columns[c];
    return r;
  }
  friend ASSAY_INLINE matrix operator*(const matrix& a, T b) {
    matrix r;
    for (int c = 0; c < C; ++c) r.columns[c] = a.columns[c] * b;
    return r;
  }
  friend ASSAY_INLINE matrix operator*(T a, const matrix& b) { return b * a; }
  friend ASSAY_INLINE matrix& operator*=(matrix& a, T b) { return a = a * b; }
  friend ASSAY_INLINE vec<T, R> operator*(const matrix& a, const vec<T, C>& b) {
    vec<T, R> r = a.columns[0] * b.s[0];
    for (int c = 1; c < C; ++c) r += a.columns[c] * b.s[c];
    return r;
  }
  friend ASSAY_INLINE vec<T, C> operator*(const vec<T, R>& a, const matrix& b) {
    vec<T, C> r;
    for (int c = 0; c < C; ++c) {
      r.s[c] = T(a.s[0] * b.columns[c].s[0]);
      for (int i = 1; i < R; ++i) r.s[c] += T(a.s[i] * b.columns[c].s[i]);
    }
    return r;
  }
  friend bool operator==(const matrix& a, const matrix& b) {
    bool same = true;
    for (int c = 0; c < C; ++c)
      for (int i = 0; i < R; ++i) same = same && a.columns[c].s[i] == b.columns[c].s[i];
    return same;
  }
};

template <class T, int K, int R, int C>
ASSAY_INLINE matrix<T, C, R> operator*(const matrix<T, K, R>& a, const matrix<T, C, K>& b) {
  matrix<T, C, R> r;
  for (int c = 0; c < C; ++c) r.columns[c] = a * b.columns[c];
  return r;
}

#define ASSAY_DELETED delete("metal: an integer beside a matrix, whose elements it is not converted to")
template <class T, int C, int R, class U, class = enable_if_t<is_integral_v<U>>>
void operator*(const matrix<T, C, R>& a, U b) = ASSAY_DELETED;
template <class T, int C, int R, class U, class = enable_if_t<is_integral_v<U>>>
void operator*(U a, const matrix<T, C, R>& b) = ASSAY_DELETED;
template <class T, int C, int R, class U, class = enable_if_t<is_integral_v<U>>>
void operator*=(matrix<T, C, R>& a, U b) = ASSAY_DELETED;
#undef ASSAY_DELETED

template <class T, int C, int R>
ASSAY_INLINE matrix<T, C, R>& operator*=(matrix<T, C, R>& a, const matrix<T, C, C>& b) {
  return a = a * b;
}

template <class T, int C, int R>
ASSAY_INLINE matrix<T, R, C> transpose(const matrix<T, C, R>& m) {
  matrix<T, R, C> r;
  for (int c = 0; c < C; ++c)
    for (int i = 0; i < R; ++i) r.columns[i].s[c] = m.columns[c].s[i];
  return r;
}

template <class T>
ASSAY_INLINE T determinant(const matrix<T, 2, 2>& m) {
  return m[0].x * m[1].y - m[1].x * m[0].y;
}
template <class T>
ASSAY_INLINE T determinant(const matrix<T, 3, 3>& m) {
  return m[0].x * (m[1].y * m[2].z - m[2].y * m[1].z) - m[1].x * (m[0].y * m[2].z - m[2].y * m[0].z) +
         m[2].x * (m[0].y * m[1].z - m[1].y * m[0].z);
}
template <class T>
ASSAY_INLINE T determinant(const matrix<T, 4, 4>& m) {
  T sum = T(0);
  for (int c = 0; c < 4; ++c) {
    matrix<T, 3, 3> minor;
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < 3; ++i) minor.columns[k].s[i] = m.columns[k < c ? k : k + 1].s[i + 1];
    const T term = m.columns[c].s[0] * determinant(minor);
    sum = c % 2 ? sum - term : sum + term;
  }
  return sum;
}

}  // namespace assay_msl
