// Texels: how they lie in memory in every format, and what a kernel reads of them and writes to them.
#pragma once
#include "metal/vec.h"

namespace assay_msl {

/// What the host makes of a texture; mirrors device::TextureFormat and the simulator's records.
enum texel_format : uint {
  r8unorm,
  rg8unorm,
  rgba8unorm,
  r8uint,
  rgba8uint,
  r16float,
  rg16float,
  rgba16float,
  r16uint,
  r32float,
  rg32float,
  rgba32float,
  r32uint,
  rg32uint,
  rgba32uint,
  r32sint,
  rg32sint,
  rgba32sint,
};
/// `index`: of [[texture(index)]].
struct texture_state {
  void* texels;
  uint width, height, depth, layers, format, index;
};
inline constexpr texture_state no_texture = {};

// What is bound is no memory of the kernel's.
ASSAY_UNINSTRUMENTED static texture_state state_of(const texture_state* bound) { return *bound; }

ASSAY_INLINE bool has_alpha(const texture_state& texture) {
  switch (texture.format) {
    case rgba8unorm:
    case rgba8uint:
    case rgba16float:
    case rgba32float:
    case rgba32uint:
    case rgba32sint:
      return true;
    default:
      return false;
  }
}

/// The channels of one texel.
template <class T, class Stored, int channels>
ASSAY_INLINE vec<T, 4> load_texel(const void* all, ulong index, float scale) {
  const Stored* from = static_cast<const Stored*>(all) + index * channels;
  vec<T, 4> value(T(0), T(0), T(0), T(1));
  for (int c = 0; c < channels; ++c)
    value.s[c] = is_floating_point_v<T> ? convert<T>(float(from[c]) * scale) : T(from[c]);
  return value;
}
template <class Stored>
ASSAY_INLINE Stored stored_as(float x, float scale) {
  if constexpr (is_floating_point_v<Stored>) {
    return Stored(x);
  } else {
    return Stored(__builtin_rintf((x > 0 ? (x < 1 ? x : 1.0f) : 0.0f) * scale));
  }
}
template <class T, class Stored, int channels>
ASSAY_INLINE void store_texel(void* all, ulong index, const vec<T, 4>& value, float scale) {
  Stored* to = static_cast<Stored*>(all) + index * channels;
  for (int c = 0; c < channels; ++c)
    to[c] = is_floating_point_v<T> ? stored_as<Stored>(float(value.s[c]), scale) : Stored(value.s[c]);
}

// Of the formats that a kernel reads as floats, as unsigned and as signed integers: what a channel is, how
// many there are, and what 1 is stored as.
#define ASSAY_FLOATING_FORMATS(M) \
  M(r8unorm, uchar, 1, 255)       \
  M(rg8unorm, uchar, 2, 255)      \
  M(rgba8unorm, uchar, 4, 255)    \
  M(r16float, half, 1, 1)         \
  M(rg16float, half, 2, 1)        \
  M(rgba16float, half, 4, 1)      \
  M(r32float, float, 1, 1)        \
  M(rg32float, float, 2, 1)       \
  M(rgba32float, float, 4, 1)
#define ASSAY_UNSIGNED_FORMATS(M) \
  M(r8uint, uchar, 1, 1)          \
  M(rgba8uint, uchar, 4, 1)       \
  M(r16uint, ushort, 1, 1)        \
  M(r32uint, uint, 1, 1)          \
  M(rg32uint, uint, 2, 1)         \
  M(rgba32uint, uint, 4, 1)
#define ASSAY_SIGNED_FORMATS(M) \
  M(r32sint, int, 1, 1)         \
  M(rg32sint, int, 2, 1)        \
  M(rgba32sint, int, 4, 1)
// One switch for each, over those that a texture of T can have: the host binds no others.
#define ASSAY_FORMATS(M)                                  \
  if constexpr (is_floating_point_v<T>) {                 \
    switch (texture.format) { ASSAY_FLOATING_FORMATS(M) } \
  } else if constexpr (T(0) < T(-1)) {                    \
    switch (texture.format) { ASSAY_UNSIGNED_FORMATS(M) } \
  } else {                                                \
    switch (texture.format) { ASSAY_SIGNED_FORMATS(M) }   \
  }

template <class T>
ASSAY_INLINE vec<T, 4> texel_at(const texture_state& texture, ulong index) {
#define ASSAY_FORMAT(name, Stored, channels, one) \
  case name:                                      \
    return load_texel<T, Stored, channels>(texture.texels, index, 1.0f / one);
  ASSAY_FORMATS(ASSAY_FORMAT)
#undef ASSAY_FORMAT
  return vec<T, 4>(T(0));
}
template <class T>
ASSAY_INLINE void put_texel(const texture_state& texture, ulong index, const vec<T, 4>& value) {
#define ASSAY_FORMAT(name, Stored, channels, one)                               \
  case name:                                                                    \
    store_texel<T, Stored, channels>(texture.texels, index, value, float(one)); \
    break;
  ASSAY_FORMATS(ASSAY_FORMAT)
#undef ASSAY_FORMAT
}
#undef ASSAY_FORMATS
#undef ASSAY_FLOATING_FORMATS
#undef ASSAY_UNSIGNED_FORMATS
#undef ASSAY_SIGNED_FORMATS

}  // namespace assay_msl
