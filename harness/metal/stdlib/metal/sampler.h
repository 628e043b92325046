// Samplers: <metal_texture>'s, and how they choose texels.
#pragma once
#include "metal/geometric.h"

namespace assay_msl {

enum class access { sample, read, write, read_write };
enum class coord { normalized, pixel };
enum class address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class s_address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class t_address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class r_address { clamp_to_edge, clamp_to_zero, clamp_to_border, repeat, mirrored_repeat };
enum class filter { nearest, linear };
enum class mag_filter { nearest, linear };
enum class min_filter { nearest, linear };
enum class mip_filter { none, nearest, linear };
enum class component { x, y, z, w };
enum class compare_func : uchar { none, less, less_equal, greater, greater_equal, equal, not_equal, always, never };
/// What lies outside of a texture under `clamp_to_border`.
enum class border_color { transparent_black, opaque_black, opaque_white };
/// How many texels an oblique look averages, and between which levels: there is one level, looked at
/// straight.
struct max_anisotropy {
  template <class N>
  constexpr explicit max_anisotropy(N) {}
};
struct lod_clamp {
  template <class A, class B>
  constexpr lod_clamp(A, B) {}
};

/// What the host makes of a sampler; mirrors metal::SamplerState. The numbers are those of the enumerations
/// above.
struct sampler_state {
  uchar linear, pixels, wrap[3], border;
};

/// Eight bytes, as Metal's.
class alignas(8) sampler {
 public:
  static constexpr uint assay_traits = 15;  ///< no texture
  sampler_state state = {0, 0, {0, 0, 0}, 0};
  compare_func compared = compare_func::never;  ///< of sample_compare()

  template <class... Setting>
  constexpr sampler(Setting... settings) {
    (set(settings), ...);
  }
  constexpr explicit sampler(const sampler_state& made) : state(made) {}

 private:
  constexpr void set(coord c) { state.pixels = uchar(c); }
  constexpr void set(filter f) { state.linear = uchar(f); }
  constexpr void set(mag_filter f) { state.linear = uchar(f); }
  constexpr void set(min_filter) {}  // there is one level, which is neither larger nor smaller
  constexpr void set(mip_filter) {}
  constexpr void set(max_anisotropy) {}
  constexpr void set(lod_clamp) {}
  constexpr void set(border_color c) { state.border = uchar(c); }
  constexpr void set(compare_func f) { compared = f; }
  constexpr void set(address a) { state.wrap[0] = state.wrap[1] = state.wrap[2] = uchar(a); }
  constexpr void set(s_address a) { state.wrap[0] = uchar(a); }
  constexpr void set(t_address a) { state.wrap[1] = uchar(a); }
  constexpr void set(r_address a) { state.wrap[2] = uchar(a); }
};

/// A place along one axis of `size` texels as the sampler takes it; -1 where it lies outside.
ASSAY_INLINE int wrapped(int i, int size, uint how) {
  if (i >= 0 && i < size) return i;
  switch (address(how)) {
    case address::clamp_to_edge:
      return i < 0 ? 0 : size - 1;
    case address::repeat:
      return ((i % size) + size) % size;
    case address::mirrored_repeat: {
      const int m = ((i % (2 * size)) + 2 * size) % (2 * size);
      return m < size ? m : 2 * size - 1 - m;
    }
    default:
      return -1;
  }
}

/// The two texels around a place along one axis, and how much of the second is taken; one if not linear.
struct neighbours {
  int first, second;
  float share;
  ASSAY_INLINE int operator[](int i) const { return i == 0 ? first : second; }
};
/// Of a coordinate that may be anything: no texture is as large as the largest of these. 0 of NaN.
ASSAY_INLINE int texel_index(float at) {
  return at == at ? int(at > 0x1p30f ? 0x1p30f : at < -0x1p30f ? -0x1p30f : at) : 0;
}
ASSAY_INLINE neighbours neighbours_of(float at, int size, uint axis, const sampler_state& s) {
  const float texels = s.pixels ? at : at * float(size);
  if (!s.linear) {
    const int i = wrapped(texel_index(__builtin_floorf(texels)), size, s.wrap[axis]);
    return {i, i, 0};
  }
  const float low = __builtin_floorf(texels - 0.5f);
  const int i = texel_index(low);
  return {wrapped(i, size, s.wrap[axis]), wrapped(i + 1, size, s.wrap[axis]), texels - 0.5f - low};
}

}  // namespace assay_msl
