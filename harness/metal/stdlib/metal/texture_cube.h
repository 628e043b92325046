// Textures of cubes: six layers for each cube, in the order +x, -x, +y, -y, +z, -z (Apple's Metal Shading
// Language Specification, "Cube Texture"). Texels beyond an edge are those of the next face.
#pragma once
#include "metal/texture.h"

namespace assay_msl {

/// A direction as the face that it meets, and the place there, from 0 to 1.
struct face_place {
  uint face;
  float u, v;

  static ASSAY_INLINE face_place met_by(const float3& d) {
    const float x = __builtin_fabsf(d.x), y = __builtin_fabsf(d.y), z = __builtin_fabsf(d.z);
    const bool first = x >= y && x >= z, second = !first && y >= z;
    const float longest = first ? x : second ? y : z;
    const bool negative = first ? d.x < 0 : second ? d.y < 0 : d.z < 0;
    const float u = first ? (negative ? d.z : -d.z) : second ? d.x : negative ? -d.x : d.x;
    const float v = second ? (negative ? -d.z : d.z) : -d.y;
    const uint face = (first ? 0u : second ? 2u : 4u) + (negative ? 1u : 0u);
    return {face, (u / longest + 1) / 2, (v / longest + 1) / 2};
  }
  /// The direction of a place of a face: from -1 to 1, and beyond where it lies outside of the face.
  static ASSAY_INLINE float3 direction(uint face, float a, float b) {
    switch (face) {
      case 0:
        return float3(1, -b, -a);
      case 1:
        return float3(-1, -b, a);
      case 2:
        return float3(a, 1, b);
      case 3:
        return float3(a, -1, -b);
      case 4:
        return float3(a, -b, 1);
      default:
        return float3(-a, -b, -1);
    }
  }
};

/// What one cube and several have alike. `first`: the layer of a cube's face +x.
template <class Base>
class cubic : public Base {
 public:
  using Base::Base;
  ASSAY_INLINE uint get_height(uint lod = 0) const { return this->at_level(this->state.height, lod); }

 protected:
  typedef typename Base::texel texel;
  typedef typename texel::value_type T;
  ASSAY_INLINE texel_square<T> in_cube(const sampler_state& s, const float3& d, uint first,
                                       bool whole) const {
    const face_place at = face_place::met_by(d);
    const bool mixes = whole || s.linear != 0;
    const float size = float(this->state.width), x = at.u * size - 0.5f, y = at.v * size - 0.5f;
    const float left = mixes ? __builtin_floorf(x) : float(nearest_to(at.u));
    const float top = mixes ? __builtin_floorf(y) : float(nearest_to(at.v));
    texel_square<T> found = square_of<T>(
        mixes ? x - left : 0, mixes ? y - top : 0,
        whole, [&](int column, int row) __attribute__((always_inline)) {
          return this->at(place_on(at.face, left + float(column), top + float(row), first));
        });
    // Three faces meet at a corner: what would be the fourth texel is the mean of the others.
    const bool beside = left < 0 || left + 1 >= size, above = top < 0 || top + 1 >= size;
    if (beside && above && (whole || (found.x != 0 && found.y != 0))) {
      const int row = top < 0 ? 0 : 1, column = left < 0 ? 0 : 1;
      const texel &a = found.all[1 - row][column], &b = found.all[row][1 - column],
                  &c = found.all[1 - row][1 - column];
      for (int k = 0; k < 4; ++k)
        found.all[row][column].s[k] = convert<T>((float(a.s[k]) + float(b.s[k]) + float(c.s[k])) / 3);
    }
    return found;
  }

 private:
  ASSAY_INLINE uint nearest_to(float u) const {
    const int i = texel_index(__builtin_floorf(u * float(this->state.width))), last = int(this->state.width) - 1;
    return uint(i < 0 ? 0 : i > last ? last : i);
  }
  /// The texel of that column and row of a face, or of the next face where these lie beyond it.
  ASSAY_INLINE texel_place place_on(uint face, float x, float y, uint first) const {
    const float size = float(this->state.width);
    if (x >= 0 && x < size && y >= 0 && y < size) return {uint(x), uint(y), first + face};
    const face_place next =
        face_place::met_by(face_place::direction(face, (2 * x + 1) / size - 1, (2 * y + 1) / size - 1));
    return {nearest_to(next.u), nearest_to(next.v), first + next.face};
  }
};

template <class Base>
class one_cube : public cubic<Base> {
 public:
  using cubic<Base>::cubic;

 protected:
  static ASSAY_INLINE texel_place place(const uint2& p, uint face) { return {p.x, p.y, face}; }
  ASSAY_INLINE auto around(const sampler_state& s, const float3& d, nothing, bool whole) const {
    return this->in_cube(s, d, 0, whole);
  }
};

template <class Base>
class cubes : public cubic<Base> {
 public:
  using cubic<Base>::cubic;
  ASSAY_INLINE uint get_array_size() const { return this->state.layers / 6; }

 protected:
  ASSAY_INLINE texel_place place(const uint2& p, uint face, uint index) const {
    const bool there = face < 6 && index < get_array_size();
    return {p.x, p.y, there ? 6 * index + face : this->state.layers};
  }
  ASSAY_INLINE auto around(const sampler_state& s, const float3& d, uint index, nothing, bool whole) const {
    const uint all = get_array_size();
    return this->in_cube(s, d, 6 * (index < all ? index : all - 1), whole);
  }
};

ASSAY_TEXTURE(
    texturecube, sample, 6,
    gathered<addressed<one_cube<texture_of<T, A>>, uint2, ushort2, uint>, gradientcube, nothing, float3>)
ASSAY_TEXTURE(texturecube_array, sample, 7,
              gathered<addressed<cubes<texture_of<T, A>>, uint2, ushort2, uint, uint>, gradientcube, nothing,
                       float3, uint>)
ASSAY_TEXTURE(
    depthcube, sample, 6,
    compared<addressed<one_cube<depth_of<T, A>>, uint2, ushort2, uint>, gradientcube, nothing, float3>)
ASSAY_TEXTURE(depthcube_array, sample, 7,
              compared<addressed<cubes<depth_of<T, A>>, uint2, ushort2, uint, uint>, gradientcube, nothing,
                       float3, uint>)

}  // namespace assay_msl

#undef ASSAY_TEXTURE
