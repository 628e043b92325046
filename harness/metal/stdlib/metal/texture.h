// Textures of one to three dimensions (others: texture_layers.h, texture_cube.h), with one level each: texels in device memory, row by row.
//
// What lies outside of a texture reads as zero and is not written, as Metal has it.
#pragma once
#include "metal/sampler.h"
#include "metal/synchronize.h"

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
struct texture_state {
  void* texels;
  uint width, height, depth, layers, format, reserved;
};

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
// Of each format, what a channel is, how many there are, and what 1 is stored as.
#define ASSAY_FORMATS(M)       \
  M(r8unorm, uchar, 1, 255)    \
  M(rg8unorm, uchar, 2, 255)   \
  M(rgba8unorm, uchar, 4, 255) \
  M(r8uint, uchar, 1, 1)       \
  M(rgba8uint, uchar, 4, 1)    \
  M(r16float, half, 1, 1)      \
  M(rg16float, half, 2, 1)     \
  M(rgba16float, half, 4, 1)   \
  M(r16uint, ushort, 1, 1)     \
  M(r32float, float, 1, 1)     \
  M(rg32float, float, 2, 1)    \
  M(rgba32float, float, 4, 1)  \
  M(r32uint, uint, 1, 1)       \
  M(rg32uint, uint, 2, 1)      \
  M(rgba32uint, uint, 4, 1)    \
  M(r32sint, int, 1, 1)        \
  M(rg32sint, int, 2, 1)       \
  M(rgba32sint, int, 4, 1)

/// What the textures of all kinds have alike.
template <class T, access A>
class texture_of {
 public:
  typedef vec<T, 4> texel;
  texture_state state;
  texture_of() = default;
  explicit texture_of(const texture_state& made) : state(made) {}

  ASSAY_INLINE uint get_width(uint = 0) const { return state.width; }
  ASSAY_INLINE uint get_num_mip_levels() const { return 1; }
  ASSAY_INLINE void fence() const {}

 protected:
  /// What a host must know of a parameter: its extents, as numbered by each kind, how its channels are read, the
  /// access.
  static constexpr uint traits_with(uint extents) {
    return extents | (is_floating_point_v<T> ? 0 : T(0) < T(-1) ? 1 : 2) << 4 | uint(A) << 6;
  }
  ASSAY_INLINE ulong index_of(int x, int y, int z) const {
    return (ulong(z) * state.height + ulong(y)) * state.width + ulong(x);
  }
  ASSAY_INLINE bool inside(uint x, uint y, uint z) const {
    return x < state.width && y < state.height && z < state.depth * state.layers;
  }
  ASSAY_INLINE texel at(uint x, uint y, uint z) const {
    static_assert(A != access::write, "this texture can only be written to");
    if (!inside(x, y, z)) return texel(T(0));
#define ASSAY_FORMAT(name, Stored, channels, one) \
  case name:                                      \
    return load_texel<T, Stored, channels>(state.texels, index_of(x, y, z), 1.0f / one);
    switch (state.format) { ASSAY_FORMATS(ASSAY_FORMAT) }
#undef ASSAY_FORMAT
    return texel(T(0));
  }
  ASSAY_INLINE void put(const texel& value, uint x, uint y, uint z) const {
    static_assert(A == access::write || A == access::read_write, "this texture cannot be written to");
    if (!inside(x, y, z)) return;
#define ASSAY_FORMAT(name, Stored, channels, one)                                         \
  case name:                                                                              \
    store_texel<T, Stored, channels>(state.texels, index_of(x, y, z), value, float(one)); \
    break;
    switch (state.format) { ASSAY_FORMATS(ASSAY_FORMAT) }
#undef ASSAY_FORMAT
  }
  // A layer that is there: the nearest one.
  ASSAY_INLINE int existing(uint layer) const {
    return int(layer < state.layers ? layer : state.layers - 1);
  }
  // What `change` makes of the number in a texel of one channel; Metal has atomics on no other formats.
  template <class Change>
  ASSAY_INLINE texel changed(uint x, uint y, uint z, Change change) const {
    static_assert(A == access::read_write, "atomics need access::read_write");
    static_assert(sizeof(T) == 4 && !is_floating_point_v<T>, "atomics on textures hold int or uint");
    if (!inside(x, y, z) || (state.format != r32uint && state.format != r32sint)) return texel(T(0));
    return texel(change(static_cast<_atomic<T>*>(state.texels) + index_of(int(x), int(y), int(z))), T(0), T(0), T(0));
  }
  // One that a sampler has chosen: -1 is outside.
  ASSAY_INLINE texel chosen(int x, int y, int z) const {
    return x < 0 || y < 0 || z < 0 ? texel(T(0)) : at(uint(x), uint(y), uint(z));
  }
  static ASSAY_INLINE texel between(const texel& a, const texel& b, float share) {
    texel result;
    for (int c = 0; c < 4; ++c)
      result.s[c] = share == 0 ? a.s[c] : convert<T>(float(a.s[c]) + (float(b.s[c]) - float(a.s[c])) * share);
    return result;
  }
  ASSAY_INLINE texel line(const neighbours& x, int y, int z) const {
    const texel first = chosen(x.first, y, z);
    return x.share == 0 ? first : between(first, chosen(x.second, y, z), x.share);
  }
  ASSAY_INLINE texel plane(const neighbours& x, const neighbours& y, int z) const {
    const texel first = line(x, y.first, z);
    return y.share == 0 ? first : between(first, line(x, y.second, z), y.share);
  }
  ASSAY_INLINE neighbours across(float u, int offset, const sampler& s) const {
    return moved(u, state.width, offset, 0, s);
  }
  ASSAY_INLINE neighbours down(float v, int offset, const sampler& s) const {
    return moved(v, state.height, offset, 1, s);
  }
  static ASSAY_INLINE neighbours moved(float u, uint size, int offset, uint axis, const sampler& s) {
    return around(s.state.pixels ? u + float(offset) : u + float(offset) / float(size), int(size), axis,
                  s.state);
  }
  ASSAY_INLINE texel four(const sampler& s, const float2& at, int z, const int2& offset, component c) const {
    sampler_state linear = s.state;
    linear.linear = 1;
    const sampler all(linear);
    const neighbours x = across(at.x, offset.x, all), y = down(at.y, offset.y, all);
    const int k = int(c);
    return texel(chosen(x.first, y.second, z).s[k], chosen(x.second, y.second, z).s[k],
                 chosen(x.second, y.first, z).s[k], chosen(x.first, y.first, z).s[k]);
  }
  /// The share of the texels around a place that `reference` compares with as the sampler says.
  ASSAY_INLINE float compared(const sampler& s, const neighbours& x, const neighbours& y, int z, float reference) const {
    const auto passes = [&](int column, int row) {
      return compares(s.compared, reference, float(chosen(column, row, z).x)) ? 1.0f : 0.0f;
    };
    const auto along = [&](int row) {
      const float first = passes(x.first, row);
      return x.share == 0 ? first : first + (passes(x.second, row) - first) * x.share;
    };
    const float first = along(y.first);
    return y.share == 0 ? first : first + (along(y.second) - first) * y.share;
  }
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
#undef ASSAY_FORMATS

#define ASSAY_UNWRAPPED(...) __VA_ARGS__
#define ASSAY_TEXEL_ATOMIC(name, POINT, ...)                                                               \
  ASSAY_INLINE texel atomic_##name(ASSAY_UNWRAPPED POINT, const texel& v, ASSAY_PLACE) const {             \
    return this->changed(__VA_ARGS__, [&](_atomic<T>* one) {                                               \
      return atomic_##name##_explicit(one, v.s[0], memory_order_relaxed, assay_line, assay_file);          \
    });                                                                                                    \
  }
/// The atomics of a texture: the parameters that say where, in parentheses, and the texel's x, y and z.
#define ASSAY_TEXEL_ATOMICS(POINT, ...)                                                                    \
  ASSAY_TEXEL_ATOMIC(exchange, POINT, __VA_ARGS__)                                                         \
  ASSAY_TEXEL_ATOMIC(fetch_add, POINT, __VA_ARGS__)                                                        \
  ASSAY_TEXEL_ATOMIC(fetch_sub, POINT, __VA_ARGS__)                                                        \
  ASSAY_TEXEL_ATOMIC(fetch_and, POINT, __VA_ARGS__)                                                        \
  ASSAY_TEXEL_ATOMIC(fetch_or, POINT, __VA_ARGS__)                                                         \
  ASSAY_TEXEL_ATOMIC(fetch_xor, POINT, __VA_ARGS__)                                                        \
  ASSAY_TEXEL_ATOMIC(fetch_min, POINT, __VA_ARGS__)                                                        \
  ASSAY_TEXEL_ATOMIC(fetch_max, POINT, __VA_ARGS__)                                                        \
  ASSAY_INLINE texel atomic_load(ASSAY_UNWRAPPED POINT, ASSAY_PLACE) const {                               \
    return this->changed(__VA_ARGS__, [&](_atomic<T>* one) {                                               \
      return atomic_load_explicit(one, memory_order_relaxed, assay_line, assay_file);                      \
    });                                                                                                    \
  }                                                                                                        \
  ASSAY_INLINE void atomic_store(const texel& v, ASSAY_UNWRAPPED POINT, ASSAY_PLACE) const {               \
    this->changed(__VA_ARGS__, [&](_atomic<T>* one) {                                                      \
      atomic_store_explicit(one, v.s[0], memory_order_relaxed, assay_line, assay_file);                    \
      return v.s[0];                                                                                       \
    });                                                                                                    \
  }                                                                                                        \
  ASSAY_INLINE bool atomic_compare_exchange_weak(ASSAY_UNWRAPPED POINT, texel* expected, const texel& v,   \
                                                 ASSAY_PLACE) const {                                      \
    bool exchanged = false;                                                                                \
    this->changed(__VA_ARGS__, [&](_atomic<T>* one) {                                                      \
      exchanged = atomic_compare_exchange_weak_explicit(one, &expected->s[0], v.s[0], memory_order_relaxed, \
                                                        memory_order_relaxed, assay_line, assay_file);     \
      return T(0);                                                                                         \
    });                                                                                                    \
    return exchanged;                                                                                      \
  }

/// Which level is sampled: there is one.
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
/// Only of those above.
template <class Level>
using is_level = enable_if_t<is_same_v<Level, level> || is_same_v<Level, bias> || is_same_v<Level, gradient2d> ||
                             is_same_v<Level, gradient3d> || is_same_v<Level, gradientcube> ||
                             is_same_v<Level, min_lod_clamp>>;

template <class T, access A = access::sample>
class texture1d : public texture_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(1);
  typedef typename texture_of<T, A>::texel texel;
  using texture_of<T, A>::texture_of;
  ASSAY_INLINE texel read(uint x, uint = 0) const { return this->at(x, 0, 0); }
  ASSAY_INLINE void write(const texel& v, uint x, uint = 0) const { this->put(v, x, 0, 0); }
  ASSAY_INLINE texel sample(sampler s, float u) const { return this->line(this->across(u, 0, s), 0, 0); }
  ASSAY_TEXEL_ATOMICS((uint x), x, 0, 0)
};
template <class T, access A = access::read>
class texture_buffer : public texture1d<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(5);
  using texture1d<T, A>::texture1d;
};
template <class T, access A = access::sample>
class texture2d : public texture_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(2);
  typedef typename texture_of<T, A>::texel texel;
  using texture_of<T, A>::texture_of;
  ASSAY_INLINE uint get_height(uint = 0) const { return this->state.height; }
  ASSAY_INLINE texel read(uint2 p, uint = 0) const { return this->at(p.x, p.y, 0); }
  ASSAY_INLINE texel read(ushort2 p, uint = 0) const { return this->at(p.x, p.y, 0); }
  ASSAY_INLINE void write(const texel& v, uint2 p, uint = 0) const { this->put(v, p.x, p.y, 0); }
  ASSAY_INLINE void write(const texel& v, ushort2 p, uint = 0) const { this->put(v, p.x, p.y, 0); }
  ASSAY_INLINE texel sample(sampler s, float2 p, int2 offset = int2(0)) const {
    return this->plane(this->across(p.x, offset.x, s), this->down(p.y, offset.y, s), 0);
  }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE texel sample(sampler s, float2 p, Level, int2 offset = int2(0)) const {
    return sample(s, p, offset);
  }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE texel sample(sampler s, float2 p, Level, min_lod_clamp, int2 offset = int2(0)) const {
    return sample(s, p, offset);
  }
  ASSAY_INLINE texel gather(sampler s, float2 p, int2 offset = int2(0), component c = component::x) const {
    return this->four(s, p, 0, offset, c);
  }
  ASSAY_TEXEL_ATOMICS((uint2 p), p.x, p.y, 0)
};
template <class T, access A = access::sample>
class texture2d_array : public texture_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(3);
  typedef typename texture_of<T, A>::texel texel;
  using texture_of<T, A>::texture_of;
  ASSAY_INLINE uint get_height(uint = 0) const { return this->state.height; }
  ASSAY_INLINE uint get_array_size() const { return this->state.layers; }
  ASSAY_INLINE texel read(uint2 p, uint layer, uint = 0) const { return this->at(p.x, p.y, layer); }
  ASSAY_INLINE texel read(ushort2 p, uint layer, uint = 0) const { return this->at(p.x, p.y, layer); }
  ASSAY_INLINE void write(const texel& v, uint2 p, uint layer, uint = 0) const {
    this->put(v, p.x, p.y, layer);
  }
  ASSAY_INLINE void write(const texel& v, ushort2 p, uint layer, uint = 0) const {
    this->put(v, p.x, p.y, layer);
  }
  ASSAY_INLINE texel sample(sampler s, float2 p, uint layer, int2 offset = int2(0)) const {
    return this->plane(this->across(p.x, offset.x, s), this->down(p.y, offset.y, s), this->existing(layer));
  }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE texel sample(sampler s, float2 p, uint layer, Level, int2 offset = int2(0)) const {
    return sample(s, p, layer, offset);
  }
  ASSAY_INLINE texel gather(sampler s, float2 p, uint layer, int2 offset = int2(0),
                            component c = component::x) const {
    return this->four(s, p, this->existing(layer), offset, c);
  }
  ASSAY_TEXEL_ATOMICS((uint2 p, uint layer), p.x, p.y, layer)
};
template <class T, access A = access::sample>
class texture3d : public texture_of<T, A> {
 public:
  static constexpr uint assay_traits = texture_of<T, A>::traits_with(4);
  typedef typename texture_of<T, A>::texel texel;
  using texture_of<T, A>::texture_of;
  ASSAY_INLINE uint get_height(uint = 0) const { return this->state.height; }
  ASSAY_INLINE uint get_depth(uint = 0) const { return this->state.depth; }
  ASSAY_INLINE texel read(uint3 p, uint = 0) const { return this->at(p.x, p.y, p.z); }
  ASSAY_INLINE texel read(ushort3 p, uint = 0) const { return this->at(p.x, p.y, p.z); }
  ASSAY_INLINE void write(const texel& v, uint3 p, uint = 0) const { this->put(v, p.x, p.y, p.z); }
  ASSAY_INLINE void write(const texel& v, ushort3 p, uint = 0) const { this->put(v, p.x, p.y, p.z); }
  ASSAY_INLINE texel sample(sampler s, float3 p, int3 offset = int3(0)) const {
    const neighbours x = this->across(p.x, offset.x, s), y = this->down(p.y, offset.y, s);
    const neighbours z = this->moved(p.z, this->state.depth, offset.z, 2, s);
    const texel first = this->plane(x, y, z.first);
    return z.share == 0 ? first : this->between(first, this->plane(x, y, z.second), z.share);
  }
  template <class Level, class = is_level<Level>>
  ASSAY_INLINE texel sample(sampler s, float3 p, Level, int3 offset = int3(0)) const {
    return sample(s, p, offset);
  }
  ASSAY_TEXEL_ATOMICS((uint3 p), p.x, p.y, p.z)
};
#undef ASSAY_TEXEL_ATOMICS
#undef ASSAY_TEXEL_ATOMIC
#undef ASSAY_UNWRAPPED

/// The first channel alone, of a texture of numbers that stand for depths.
template <class T, access A = access::sample>
class depth2d : public texture2d<T, A> {
  typedef texture2d<T, A> colours;

 public:
  static constexpr uint assay_traits = colours::assay_traits;
  using colours::texture2d;
  ASSAY_INLINE T read(uint2 p, uint = 0) const { return this->at(p.x, p.y, 0).x; }
  ASSAY_INLINE T read(ushort2 p, uint = 0) const { return this->at(p.x, p.y, 0).x; }
  ASSAY_INLINE void write(T v, uint2 p, uint = 0) const { colours::write(typename colours::texel(v), p); }
  ASSAY_INLINE void write(T v, ushort2 p, uint = 0) const { colours::write(typename colours::texel(v), p); }
  template <class... Option>
  ASSAY_INLINE T sample(sampler s, float2 p, Option... options) const {
    return colours::sample(s, p, options...).x;
  }
  ASSAY_INLINE vec<T, 4> gather(sampler s, float2 p, int2 offset = int2(0)) const {
    return this->four(s, p, 0, offset, component::x);
  }
  ASSAY_INLINE T sample_compare(sampler s, float2 p, float reference, int2 offset = int2(0)) const {
    return T(this->compared(s, this->across(p.x, offset.x, s), this->down(p.y, offset.y, s), 0, reference));
  }
  ASSAY_INLINE T sample_compare(sampler s, float2 p, float reference, level, int2 offset = int2(0)) const {
    return sample_compare(s, p, reference, offset);
  }
};

template <class Texture>
ASSAY_INLINE bool is_null_texture(const Texture& texture) {
  return texture.state.texels == nullptr;
}

}  // namespace assay_msl
