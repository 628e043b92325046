// Textures of cubes: six layers for each cube, in the order +x, -x, +y, -y, +z, -z (Apple's Metal Shading Language
// Specification, "Cube Texture"). Texels beyond an edge are those of the next face.
#pragma once
#include "metal/texture.h"

namespace assay_msl {

/// A direction as the face that it meets, and the place there, from 0 to 1.
struct face_place {
  uint face;
  float u, v;
};
ASSAY_INLINE face_place face_of(const float3& d) {
  const float x = __builtin_fabsf(d.x), y = __builtin_fabsf(d.y), z = __builtin_fabsf(d.z);
  const bool first = x >= y && x >= z, second = !first && y >= z;
  const float longest = first ? x : second ? y : z;
  const bool negative = first ? d.x < 0 : second ? d.y < 0 : d.z < 0;
  const float u = first ? (negative ? d.z : -d.z) : second ? d.x : negative ? -d.x : d.x;
  const float v = second ? (negative ? -d.z : d.z) : -d.y;
  return {(first ? 0u : second ? 2u : 4u) + (negative ? 1u : 0u), (u / longest + 1) / 2, (v / longest + 1) / 2};
}
/// The other way round: from -1 to 1, and beyond where the place lies outside of the face.
ASSAY_INLINE float3 direction_of(uint face, float a, float b) {
  switch (face) {
    case 0: return float3(1, -b, -a);
    case 1: return float3(-1, -b, a);
    case 2: return float3(a, 1, b);
    case 3: return float3(a, -1, -b);
    case 4: return float3(a, -b, 1);
    default: return float3(-a, -b, -1);
  }
}

/// The texels around a place, and the shares of the second column and row; one texel if not linear.
template <class Texel>
struct cube_texels {
  Texel all[2][2];
  float x = 0, y = 0;
};

/// What cubes of colours and of depths have alike. `first`: the layer of the cube's face +x.
template <class T, access A>
class cube_of : public texture_of<T, A> {
 public:
  typedef typename texture_of<T, A>::texel texel;
  using texture_of<T, A>::texture_of;
  ASSAY_INLINE uint get_height(uint = 0) const { return this->state.height; }

 protected:
  ASSAY_INLINE texel beyond(uint face, int x, int y, uint first) const {
    const int size = int(this->state.width);
    if (x >= 0 && x < size && y >= 0 && y < size) return this->at(uint(x), uint(y), first + face);
    const float3 d = direction_of(face, (2 * float(x) + 1) / float(size) - 1, (2 * float(y) + 1) / float(size) - 1);
    const face_place next = face_of(d);
    return this->at(texel_of(next.u), texel_of(next.v), first + next.face);
  }
  ASSAY_INLINE uint texel_of(float u) const {
    const int i = int(__builtin_floorf(u * float(this->state.width))), last = int(this->state.width) - 1;
    return uint(i < 0 ? 0 : i > last ? last : i);
  }
  ASSAY_INLINE cube_texels<texel> around_direction(const sampler& s, const float3& d, uint first, bool linear) const {
    const face_place at = face_of(d);
    cube_texels<texel> found;
    (void)s;
    if (!linear) {
      found.all[0][0] = this->at(texel_of(at.u), texel_of(at.v), first + at.face);
      return found;
    }
    const float x = at.u * float(this->state.width) - 0.5f, y = at.v * float(this->state.width) - 0.5f;
    const float left = __builtin_floorf(x), top = __builtin_floorf(y);
    found.x = x - left;
    found.y = y - top;
    const int size = int(this->state.width);
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 2; ++column)
        found.all[row][column] = beyond(at.face, int(left) + column, int(top) + row, first);
    }
    // Three faces meet at a corner: what would be the fourth is the mean of the others.
    const bool outside_x = left < 0 || int(left) + 1 >= size, outside_y = top < 0 || int(top) + 1 >= size;
    if (outside_x && outside_y) {
      const int row = top < 0 ? 0 : 1, column = left < 0 ? 0 : 1;
      texel& corner = found.all[row][column];
      for (int c = 0; c < 4; ++c)
        corner.s[c] = convert<T>((float(found.all[1 - row][column].s[c]) + float(found.all[row][1 - column].s[c]) +
                                  float(found.all[1 - row][1 - column].s[c])) /
                                 3);
    }
    return found;
  }
  ASSAY_INLINE texel seen(const sampler& s, const float3& d, uint first) const {
    const bool linear = s.state.linear != 0;
    const cube_texels<texel> t = around_direction(s, d, first, linear);
    if (!linear) return t.all[0][0];
    return this->between(this->between(t.all[0][0], t.all[0][1], t.x), this->between(t.all[1][0], t.all[1][1], t.x),
                         t.y);
  }
  ASSAY_INLINE texel four_seen(const sampler& s, const float3& d, uint first, component c) const {
    const cube_texels<texel> t = around_direction(s, d, first, true);
    const int k = int(c);
    return texel(t.all[1][0].s[k], t.all[1][1].s[k], t.all[0][1].s[k], t.all[0][0].s[k]);
  }
  ASSAY_INLINE float compared_at(const sampler& s, const float3& d, uint first, float reference) const {
    const bool linear = s.state.linear != 0;
    const cube_texels<texel> t = around_direction(s, d, first, linear);
    const auto passes = [&](int row, int column) {
      return this->compares(s.compared, reference, float(t.all[row][column].x)) ? 1.0f : 0.0f;
    };
    if (!linear) return passes(0, 0);
    const float upper = passes(0, 0) + (passes(0, 1) - passes(0, 0)) * t.x;
    const float lower = passes(1, 0) + (passes(1, 1) - passes(1, 0)) * t.x;
    return upper + (lower - upper) * t.y;
  }
  ASSAY_INLINE uint cube(uint index) const {
    const uint cubes = this->state.layers / 6;
    return 6 * (index < cubes ? index : cubes - 1);
  }
};

template <class T, access A = access::sample>
class texturecube : public cube_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(3);
  typedef typename cube_of<T, A>::texel texel;
  using cube_of<T, A>::cube_of;
  ASSAY_INLINE texel read(uint2 p, uint face, uint = 0) const { return this->at(p.x, p.y, face); }
  ASSAY_INLINE texel read(ushort2 p, uint face, uint = 0) const { return this->at(p.x, p.y, face); }
  ASSAY_INLINE void write(const texel& v, uint2 p, uint face, uint = 0) const { this->put(v, p.x, p.y, face); }
  ASSAY_INLINE void write(const texel& v, ushort2 p, uint face, uint = 0) const { this->put(v, p.x, p.y, face); }
  ASSAY_INLINE texel sample(sampler s, float3 d) const { return this->seen(s, d, 0); }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE texel sample(sampler s, float3 d, Level) const {
    return this->seen(s, d, 0);
  }
  ASSAY_INLINE texel gather(sampler s, float3 d, component c = component::x) const {
    return this->four_seen(s, d, 0, c);
  }
};
template <class T, access A = access::sample>
class texturecube_array : public cube_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(3);
  typedef typename cube_of<T, A>::texel texel;
  using cube_of<T, A>::cube_of;
  ASSAY_INLINE uint get_array_size() const { return this->state.layers / 6; }
  ASSAY_INLINE texel read(uint2 p, uint face, uint index, uint = 0) const {
    return this->at(p.x, p.y, 6 * index + face);
  }
  ASSAY_INLINE void write(const texel& v, uint2 p, uint face, uint index, uint = 0) const {
    this->put(v, p.x, p.y, 6 * index + face);
  }
  ASSAY_INLINE texel sample(sampler s, float3 d, uint index) const { return this->seen(s, d, this->cube(index)); }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE texel sample(sampler s, float3 d, uint index, Level) const {
    return this->seen(s, d, this->cube(index));
  }
};
/// The first channel alone.
template <class T, access A = access::sample>
class depthcube : public cube_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(3);
  using cube_of<T, A>::cube_of;
  ASSAY_INLINE T read(uint2 p, uint face, uint = 0) const { return this->at(p.x, p.y, face).x; }
  ASSAY_INLINE T sample(sampler s, float3 d) const { return this->seen(s, d, 0).x; }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE T sample(sampler s, float3 d, Level) const {
    return this->seen(s, d, 0).x;
  }
  ASSAY_INLINE T sample_compare(sampler s, float3 d, float reference) const {
    return T(this->compared_at(s, d, 0, reference));
  }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE T sample_compare(sampler s, float3 d, float reference, Level) const {
    return T(this->compared_at(s, d, 0, reference));
  }
};

}  // namespace assay_msl
