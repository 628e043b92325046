// What samplers do with the texels around a point: mix them, compare them, or hand them out. A shape says
// which these are: `around(sampler, point..., offset, whole)` gives four, or what else a sampler mixes.
#pragma once
#include "metal/texture_of.h"

namespace assay_msl {

/// Which level is sampled: there is one, so that none of these changes anything.
struct level {
  template <class L>
  explicit level(L) {}
};
struct bias {
  template <class B>
  explicit bias(B) {}
};
struct gradient2d {
  gradient2d(float2, float2) {}
};
struct gradient3d {
  gradient3d(float3, float3) {}
};
struct gradientcube {
  gradientcube(float3, float3) {}
};
struct min_lod_clamp {
  explicit min_lod_clamp(float) {}
};

/// What chooses the level of a texture that has that gradient.
template <class Gradient>
struct level_choice {
  ASSAY_INLINE level_choice(level) {}
  ASSAY_INLINE level_choice(bias) {}
  ASSAY_INLINE level_choice(Gradient) {}
};
/// The same, or a limit alone.
template <class Gradient>
struct level_option : level_choice<Gradient> {
  using level_choice<Gradient>::level_choice;
  ASSAY_INLINE level_option(min_lod_clamp) : level_choice<Gradient>(level(0)) {}
};

/// Texels in two columns and two rows, [row][column], and the shares of the second ones. Where a share is 0
/// nobody has looked at them, unless the square is whole.
template <class T>
struct texel_square {
  vec<T, 4> all[2][2];
  float x = 0, y = 0;
};
/// Two of them, and the share of the second; likewise.
template <class T>
struct texel_block {
  texel_square<T> near, far;
  float z = 0;
};
template <class T, class Look>
ASSAY_INLINE texel_square<T> square_of(float x, float y, bool whole, Look look) {
  texel_square<T> found;
  found.x = x;
  found.y = y;
  // Loops that stay loops: what reads a texel of any format is long, and would stand here four times.
#pragma GCC unroll 1
  for (int row = 0; row < 2; ++row) {
#pragma GCC unroll 1
    for (int column = 0; column < 2; ++column) {
      if (whole || ((column == 0 || x != 0) && (row == 0 || y != 0)))
        found.all[row][column] = look(column, row);
    }
  }
  return found;
}

/// How they are mixed. (In a struct: a kernel may have functions of vectors with these names.)
struct texel_mixer {
  static ASSAY_INLINE float between(float a, float b, float share) { return a + (b - a) * share; }
  template <class T>
  static ASSAY_INLINE vec<T, 4> between(const vec<T, 4>& a, const vec<T, 4>& b, float share) {
    vec<T, 4> result;
    for (int c = 0; c < 4; ++c) result.s[c] = convert<T>(between(float(a.s[c]), float(b.s[c]), share));
    return result;
  }
  /// Of what `of` makes of each.
  template <class T, class Of>
  static ASSAY_INLINE auto mixed(const texel_square<T>& texels, const Of& of) {
    const auto along = [&](int row) __attribute__((always_inline)) {
      const auto first = of(texels.all[row][0]);
      return texels.x == 0 ? first : between(first, of(texels.all[row][1]), texels.x);
    };
    const auto upper = along(0);
    return texels.y == 0 ? upper : between(upper, along(1), texels.y);
  }
  template <class T>
  static ASSAY_INLINE vec<T, 4> mixed(const texel_square<T>& texels) {
    return mixed(
        texels, [](const vec<T, 4>& one) __attribute__((always_inline)) { return one; });
  }
  template <class T>
  static ASSAY_INLINE vec<T, 4> mixed(const texel_block<T>& texels) {
    const auto near = mixed(texels.near);
    return texels.z == 0 ? near : between(near, mixed(texels.far), texels.z);
  }
  /// What `of` makes of each, against the clock from the lower left, as Metal orders them.
  template <class T, class Of>
  static ASSAY_INLINE vec<T, 4> in_turn(const texel_square<T>& texels, const Of& of) {
    return vec<T, 4>(T(of(texels.all[1][0])), T(of(texels.all[1][1])), T(of(texels.all[0][1])),
                     T(of(texels.all[0][0])));
  }
  /// One channel; without a choice the first.
  struct channel {
    ASSAY_INLINE channel(component c) : number(int(c)) {}
    ASSAY_INLINE channel(nothing) : number(0) {}
    template <class T>
    ASSAY_INLINE T operator()(const vec<T, 4>& one) const {
      return one.s[number];
    }
    int number;
  };
  /// Whether the reference compares with a depth as the sampler says.
  struct passes {
    const sampler& how;
    float reference;
    template <class T>
    ASSAY_INLINE float operator()(const vec<T, 4>& depth) const {
      return compares(how.compared, reference, float(depth.x)) ? 1.0f : 0.0f;
    }
  };
  static ASSAY_INLINE bool compares(compare_func how, float a, float b) {
    switch (how) {
      case compare_func::less:
        return a < b;
      case compare_func::less_equal:
        return a <= b;
      case compare_func::greater:
        return a > b;
      case compare_func::greater_equal:
        return a >= b;
      case compare_func::equal:
        return a == b;
      case compare_func::not_equal:
        return a != b;
      case compare_func::always:
        return true;
      default:
        return false;
    }
  }
};

/// What lies around a point of a shape that a kernel may sample.
template <class Shape>
class looked_at : public Shape {
 public:
  using Shape::Shape;

 protected:
  template <class... Where>
  ASSAY_INLINE auto look(const sampler& s, const Where&... where) const {
    static_assert(Shape::accessed == access::sample, "this texture cannot be sampled");
    return this->around(s.state, where...);
  }
};

/// sample() at a Point, which indices may follow, moved by an Offset.
template <class Shape, class Gradient, class Offset, class... Point>
class sampled : public looked_at<Shape> {
 public:
  using looked_at<Shape>::looked_at;
  typedef typename Shape::value value;
  ASSAY_INLINE value sample(sampler s, Point... p, Offset offset = Offset(0)) const {
    return this->shown(texel_mixer::mixed(this->look(s, p..., offset, false)));
  }
  ASSAY_INLINE value sample(sampler s, Point... p, level_option<Gradient>, Offset offset = Offset(0)) const {
    return sample(s, p..., offset);
  }
  ASSAY_INLINE value sample(sampler s, Point... p, level_choice<Gradient>, min_lod_clamp,
                            Offset offset = Offset(0)) const {
    return sample(s, p..., offset);
  }
};
/// The same of one dimension, which has neither levels nor offsets in Metal.
template <class Shape, class... Point>
class sampled_plainly : public looked_at<Shape> {
 public:
  using looked_at<Shape>::looked_at;
  ASSAY_INLINE typename Shape::value sample(sampler s, Point... p) const {
    return this->shown(texel_mixer::mixed(this->look(s, p..., false)));
  }
};

/// gather() as well. Where there are no offsets, the channel stands in their place.
template <class Shape, class Gradient, class Offset, class... Point>
class gathered : public sampled<Shape, Gradient, Offset, Point...> {
 public:
  using sampled<Shape, Gradient, Offset, Point...>::sampled;
  typedef typename Shape::picked picked;
  ASSAY_INLINE auto gather(sampler s, Point... p, Offset offset = Offset(0), picked c = picked(0)) const {
    return texel_mixer::in_turn(this->look(s, p..., offset, true), texel_mixer::channel{c});
  }
};
template <class Shape, class Gradient, class... Point>
class gathered<Shape, Gradient, nothing, Point...> : public sampled<Shape, Gradient, nothing, Point...> {
 public:
  using sampled<Shape, Gradient, nothing, Point...>::sampled;
  typedef typename Shape::picked picked;
  ASSAY_INLINE auto gather(sampler s, Point... p, picked c = picked(0)) const {
    return texel_mixer::in_turn(this->look(s, p..., nothing(0), true), texel_mixer::channel{c});
  }
};

/// sample_compare() and gather_compare() as well: 1 for each texel that `reference` compares with as the
/// sampler says.
template <class Shape, class Gradient, class Offset, class... Point>
class compared : public gathered<Shape, Gradient, Offset, Point...> {
 public:
  using gathered<Shape, Gradient, Offset, Point...>::gathered;
  typedef typename Shape::value value;
  ASSAY_INLINE value sample_compare(sampler s, Point... p, float reference, Offset offset = Offset(0)) const {
    return value(texel_mixer::mixed(this->look(s, p..., offset, false), texel_mixer::passes{s, reference}));
  }
  ASSAY_INLINE value sample_compare(sampler s, Point... p, float reference, level_option<Gradient>,
                                    Offset offset = Offset(0)) const {
    return sample_compare(s, p..., reference, offset);
  }
  ASSAY_INLINE value sample_compare(sampler s, Point... p, float reference, level_choice<Gradient>,
                                    min_lod_clamp, Offset offset = Offset(0)) const {
    return sample_compare(s, p..., reference, offset);
  }
  ASSAY_INLINE auto gather_compare(sampler s, Point... p, float reference, Offset offset = Offset(0)) const {
    return texel_mixer::in_turn(this->look(s, p..., offset, true), texel_mixer::passes{s, reference});
  }
};

}  // namespace assay_msl
