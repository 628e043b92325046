// <metal_texture>: the textures of one to three dimensions, their layers and their samples. Cubes are in
// texture_cube.h.
#pragma once
#include "metal/texture_shape.h"

/// A kind of textures: how it may be used if the text does not say, and which of
/// metal::TextureParameter::Extents it has.
#define ASSAY_TEXTURE(name, usual, extents, ...)                                 \
  template <class T, access A = access::usual>                                   \
  class name : public __VA_ARGS__ {                                              \
    typedef __VA_ARGS__ made_of;                                                 \
                                                                                 \
   public:                                                                       \
    using made_of::made_of;                                                      \
    static constexpr uint assay_traits = texture_of<T, A>::traits_with(extents); \
  };

namespace assay_msl {

ASSAY_TEXTURE(texture1d, sample, 1,
              sampled_plainly<counted<one_line<texture_of<T, A>>, uint, nothing>, float>)
ASSAY_TEXTURE(texture_buffer, read, 5, counted<one_line<texture_of<T, A>>, uint, nothing>)
ASSAY_TEXTURE(texture1d_array, sample, 8,
              sampled_plainly<counted<lines<texture_of<T, A>>, uint, nothing, uint>, float, uint>)

ASSAY_TEXTURE(texture2d, sample, 2,
              gathered<counted<one_plane<texture_of<T, A>>, uint2, ushort2>, gradient2d, int2, float2>)
ASSAY_TEXTURE(
    texture2d_array, sample, 3,
    gathered<counted<planes<texture_of<T, A>>, uint2, ushort2, uint>, gradient2d, int2, float2, uint>)
ASSAY_TEXTURE(depth2d, sample, 2,
              compared<addressed<one_plane<depth_of<T, A>>, uint2, ushort2>, gradient2d, int2, float2>)
ASSAY_TEXTURE(
    depth2d_array, sample, 3,
    compared<addressed<planes<depth_of<T, A>>, uint2, ushort2, uint>, gradient2d, int2, float2, uint>)

ASSAY_TEXTURE(texture3d, sample, 4,
              sampled<counted<solid<texture_of<T, A>>, uint3, ushort3>, gradient3d, int3, float3>)

/// Several samples of each texel, which lie in memory as layers.
template <class Base>
class several_samples : public Base {
 public:
  using Base::Base;
  ASSAY_INLINE uint get_height() const { return this->state.height; }
  ASSAY_INLINE uint get_num_samples() const { return this->state.layers; }
  ASSAY_INLINE typename Base::value read(uint2 p, uint sample) const {
    return this->shown(this->at({p.x, p.y, sample}));
  }
  ASSAY_INLINE typename Base::value read(ushort2 p, uint sample) const { return read(uint2(p), sample); }
};
ASSAY_TEXTURE(texture2d_ms, read, 3, several_samples<texture_of<T, A>>)
ASSAY_TEXTURE(depth2d_ms, read, 3, several_samples<depth_of<T, A>>)

}  // namespace assay_msl
