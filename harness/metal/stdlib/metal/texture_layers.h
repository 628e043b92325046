// Textures that lie in memory as layers: of one dimension, of depths, and of several samples, whose layers are
// the samples.
#pragma once
#include "metal/texture.h"

namespace assay_msl {

template <class T, access A = access::sample>
class texture1d_array : public texture_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(3);
  typedef typename texture_of<T, A>::texel texel;
  using texture_of<T, A>::texture_of;
  ASSAY_INLINE uint get_array_size() const { return this->state.layers; }
  ASSAY_INLINE texel read(uint x, uint layer, uint = 0) const { return this->at(x, 0, layer); }
  ASSAY_INLINE void write(const texel& v, uint x, uint layer, uint = 0) const { this->put(v, x, 0, layer); }
  ASSAY_INLINE texel sample(sampler s, float u, uint layer) const {
    return this->line(this->across(u, 0, s), 0, this->existing(layer));
  }
};

/// The first channel alone, as depth2d has it.
template <class T, access A = access::sample>
class depth2d_array : public texture2d_array<T, A> {
  typedef texture2d_array<T, A> colours;

 public:
  static constexpr uint assay_traits = colours::assay_traits;
  using colours::texture2d_array;
  ASSAY_INLINE T read(uint2 p, uint layer, uint = 0) const { return this->at(p.x, p.y, layer).x; }
  ASSAY_INLINE T read(ushort2 p, uint layer, uint = 0) const { return this->at(p.x, p.y, layer).x; }
  template <class... Option>
  ASSAY_INLINE T sample(sampler s, float2 p, uint layer, Option... options) const {
    return colours::sample(s, p, layer, options...).x;
  }
  ASSAY_INLINE vec<T, 4> gather(sampler s, float2 p, uint layer, int2 offset = int2(0)) const {
    return this->four(s, p, this->existing(layer), offset, component::x);
  }
  ASSAY_INLINE T sample_compare(sampler s, float2 p, uint layer, float reference, int2 offset = int2(0)) const {
    return T(this->compared(s, this->across(p.x, offset.x, s), this->down(p.y, offset.y, s), this->existing(layer),
                            reference));
  }
  ASSAY_INLINE T sample_compare(sampler s, float2 p, uint layer, float reference, level, int2 offset = int2(0)) const {
    return sample_compare(s, p, layer, reference, offset);
  }
};

template <class T, access A = access::read>
class texture2d_ms : public texture_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(3);
  typedef typename texture_of<T, A>::texel texel;
  using texture_of<T, A>::texture_of;
  ASSAY_INLINE uint get_height() const { return this->state.height; }
  ASSAY_INLINE uint get_num_samples() const { return this->state.layers; }
  ASSAY_INLINE texel read(uint2 p, uint sample) const { return this->at(p.x, p.y, sample); }
  ASSAY_INLINE texel read(ushort2 p, uint sample) const { return this->at(p.x, p.y, sample); }
};
template <class T, access A = access::read>
class depth2d_ms : public texture2d_ms<T, A> {
 public:
  static constexpr uint assay_traits = texture2d_ms<T, A>::assay_traits;
  using texture2d_ms<T, A>::texture2d_ms;
  ASSAY_INLINE T read(uint2 p, uint sample) const { return this->at(p.x, p.y, sample).x; }
  ASSAY_INLINE T read(ushort2 p, uint sample) const { return this->at(p.x, p.y, sample).x; }
};

}  // namespace assay_msl
