// Shapes of textures whose texels lie in lines, planes and stacks of planes. Base: what the texels are.
#pragma once
#include "metal/texture_sampling.h"

namespace assay_msl {

/// What all of them have alike.
template <class Base>
class straight : public Base {
 public:
  using Base::Base;

 protected:
  typedef texel_square<typename Base::texel::value_type> square;
  /// One that a sampler has chosen: -1 is outside.
  ASSAY_INLINE typename Base::texel chosen(const sampler_state& s, int x, int y, int z) const {
    if (x >= 0 && y >= 0 && z >= 0) return this->at({uint(x), uint(y), uint(z)});
    return beyond(s, address(s.wrap[x < 0 ? 0 : y < 0 ? 1 : 2]) == address::clamp_to_border);
  }
  /// The border, or zero, which is opaque where a format has no alpha.
  ASSAY_INLINE typename Base::texel beyond(const sampler_state& s, bool bordered) const {
    typedef typename Base::texel::value_type T;
    const border_color border = border_color(s.border);
    const T colour = bordered && border == border_color::opaque_white ? T(1) : T(0);
    const bool opaque = bordered ? border != border_color::transparent_black : !has_alpha(this->state);
    return typename Base::texel(colour, colour, colour, opaque ? T(1) : T(0));
  }
  static ASSAY_INLINE neighbours beside(float u, uint size, int offset, uint axis, const sampler_state& s) {
    return neighbours_of(s.pixels ? u + float(offset) : u + float(offset) / float(size), int(size), axis, s);
  }
  ASSAY_INLINE square in_line(const sampler_state& s, float u, int layer) const {
    const neighbours x = beside(u, this->state.width, 0, 0, s);
    return square_of<typename Base::texel::value_type>(
        x.share, 0, false, [&](int column, int) __attribute__((always_inline)) {
          return chosen(s, x[column], 0, layer);
        });
  }
  ASSAY_INLINE square in_plane(sampler_state s, float2 p, int2 offset, bool whole, int z) const {
    if (whole) s.linear = 1;
    const neighbours x = beside(p.x, this->state.width, offset.x, 0, s);
    const neighbours y = beside(p.y, this->state.height, offset.y, 1, s);
    return square_of<typename Base::texel::value_type>(
        x.share, y.share, whole, [&](int column, int row) __attribute__((always_inline)) {
          return chosen(s, x[column], y[row], z);
        });
  }
  /// The layer of that number, or else the last.
  ASSAY_INLINE int nearest_layer(uint layer) const {
    return int(layer < this->state.layers ? layer : this->state.layers - 1);
  }
};

template <class Base>
class one_line : public straight<Base> {
 public:
  using straight<Base>::straight;

 protected:
  static ASSAY_INLINE texel_place place(uint x) { return {x, 0, 0}; }
  ASSAY_INLINE auto around(const sampler_state& s, float u, bool) const { return this->in_line(s, u, 0); }
};

template <class Base>
class lines : public straight<Base> {
 public:
  using straight<Base>::straight;
  ASSAY_INLINE uint get_array_size() const { return this->state.layers; }

 protected:
  static ASSAY_INLINE texel_place place(uint x, uint layer) { return {x, 0, layer}; }
  ASSAY_INLINE auto around(const sampler_state& s, float u, uint layer, bool) const {
    return this->in_line(s, u, this->nearest_layer(layer));
  }
};

template <class Base>
class one_plane : public straight<Base> {
 public:
  using straight<Base>::straight;
  ASSAY_INLINE uint get_height(uint lod = 0) const { return this->at_level(this->state.height, lod); }

 protected:
  static ASSAY_INLINE texel_place place(const uint2& p) { return {p.x, p.y, 0}; }
  ASSAY_INLINE auto around(const sampler_state& s, const float2& p, const int2& offset, bool whole) const {
    return this->in_plane(s, p, offset, whole, 0);
  }
};

template <class Base>
class planes : public straight<Base> {
 public:
  using straight<Base>::straight;
  ASSAY_INLINE uint get_height(uint lod = 0) const { return this->at_level(this->state.height, lod); }
  ASSAY_INLINE uint get_array_size() const { return this->state.layers; }

 protected:
  static ASSAY_INLINE texel_place place(const uint2& p, uint layer) { return {p.x, p.y, layer}; }
  ASSAY_INLINE auto around(const sampler_state& s, const float2& p, uint layer, const int2& offset,
                           bool whole) const {
    return this->in_plane(s, p, offset, whole, this->nearest_layer(layer));
  }
};

template <class Base>
class solid : public straight<Base> {
 public:
  using straight<Base>::straight;
  ASSAY_INLINE uint get_height(uint lod = 0) const { return this->at_level(this->state.height, lod); }
  ASSAY_INLINE uint get_depth(uint lod = 0) const { return this->at_level(this->state.depth, lod); }

 protected:
  static ASSAY_INLINE texel_place place(const uint3& p) { return {p.x, p.y, p.z}; }
  ASSAY_INLINE auto around(const sampler_state& s, const float3& p, const int3& offset, bool) const {
    const neighbours z = this->beside(p.z, this->state.depth, offset.z, 2, s);
    const float2 flat(p.x, p.y);
    const int2 moved(offset.x, offset.y);
    texel_block<typename Base::texel::value_type> found;
    found.z = z.share;
    found.near = this->in_plane(s, flat, moved, false, z.first);
    if (z.share != 0) found.far = this->in_plane(s, flat, moved, false, z.second);
    return found;
  }
};

}  // namespace assay_msl
