// What textures of all kinds have alike: extents, and reading, writing and changing single texels.
//
// A kind is made of layers. At the bottom is what its texels are (`texture_of`, `depth_of`). A shape makes a
// place of coordinates and indices, and says what lies around a point (texture_shape.h, texture_cube.h). On
// top are the functions of Metal over a shape: those of single texels here, those of samplers in
// texture_sampling.h.
#pragma once
#include "metal/sampler.h"
#include "metal/synchronize.h"
#include "metal/texel.h"

namespace assay_msl {

/// Where a texel is: its column, its row, and its layer or slice.
struct texel_place {
  uint x, y, z;
};

/// A parameter that other kinds have: nothing converts to it.
struct nothing {
  explicit constexpr nothing(int) {}
};

template <class T, access A>
class texture_of {
  static_assert(is_same_v<T, half> || is_same_v<T, float> || is_same_v<T, short> || is_same_v<T, ushort> ||
                    is_same_v<T, int> || is_same_v<T, uint>,
                "assay: textures hold half, float, short, ushort, int or uint; others are not supported");

 public:
  typedef vec<T, 4> texel;
  typedef texel value;       ///< what is read and written
  typedef component picked;  ///< what gather() takes to choose a channel
  /// Eight bytes, as Metal's: a struct in memory holds the one and the other alike.
  const texture_state* assay_bound = &no_texture;
  __declspec(property(get = assay_state)) texture_state state;
  texture_of() = default;
  explicit texture_of(const texture_state& made) : assay_bound(&made) {}
  ASSAY_INLINE texture_state assay_state() const { return state_of(assay_bound); }

  ASSAY_INLINE uint get_width(uint lod = 0) const { return at_level(state.width, lod); }
  ASSAY_INLINE uint get_num_mip_levels() const { return 1; }
  ASSAY_INLINE void fence() const {}

 protected:
  static constexpr access accessed = A;
  /// What a host must know of a parameter: its extents, as numbered by metal::TextureParameter::Extents, how
  /// its channels are read, the access.
  static constexpr uint traits_with(uint extents) {
    return extents | (is_floating_point_v<T> ? 0 : T(0) < T(-1) ? 1 : 2) << 4 | uint(A) << 6;
  }
  static ASSAY_INLINE uint at_level(uint extent, uint lod) {
    const uint halved = lod < 32 ? extent >> lod : 0;
    return halved != 0 ? halved : 1;
  }
  static ASSAY_INLINE const value& shown(const texel& found) { return found; }

  // What lies outside of a texture reads as zero and is not written, as Metal has it; so do levels that it
  // has not.
  ASSAY_INLINE bool inside(const texel_place& p, uint lod) const {
    return p.x < state.width && p.y < state.height && p.z < state.depth * state.layers && lod == 0;
  }
  ASSAY_INLINE ulong index_of(const texel_place& p) const {
    return (ulong(p.z) * state.height + p.y) * state.width + p.x;
  }
  ASSAY_INLINE texel at(const texel_place& p, uint lod = 0) const {
    static_assert(A != access::write, "this texture can only be written to");
    return inside(p, lod) ? texel_at<T>(state, index_of(p)) : texel(T(0));
  }
  ASSAY_INLINE void put(const texel& value, const texel_place& p, uint lod) const {
    static_assert(A == access::write || A == access::read_write, "this texture cannot be written to");
    if (inside(p, lod)) put_texel(state, index_of(p), value);
  }
  /// What `change` makes of the number in a texel of one channel; Metal has atomics on no other formats.
  template <class Change>
  ASSAY_INLINE texel changed(const texel_place& p, Change change, uint line, const char* file) const {
    static_assert(A == access::read_write, "atomics need access::read_write");
    static_assert(sizeof(T) == 4 && !is_floating_point_v<T>, "atomics on textures hold int or uint");
    if (state.format != r32uint && state.format != r32sint) assay_no_texel_atomics(state.index, line, file);
    if (!inside(p, 0)) return texel(T(0));
    return texel(change(static_cast<_atomic<T>*>(state.texels) + index_of(p)), T(0), T(0), T(0));
  }
};

/// The first channel alone, of a texture of numbers that stand for depths.
template <class T, access A>
class depth_of : public texture_of<T, A> {
 public:
  using texture_of<T, A>::texture_of;
  typedef T value;
  typedef nothing picked;

 protected:
  static ASSAY_INLINE T shown(const typename texture_of<T, A>::texel& found) { return found.x; }
};

/// Reads and writes of the texels of a shape. Coordinates are of type Wide, or with 16 bits Narrow; indices
/// follow them.
template <class Shape, class Wide, class Narrow, class... Index>
class addressed : public Shape {
 public:
  using Shape::Shape;
  typedef typename Shape::value value;
  ASSAY_INLINE value read(Wide p, Index... i, uint lod = 0) const {
    return this->shown(this->at(this->place(p, i...), lod));
  }
  ASSAY_INLINE value read(Narrow p, Index... i, uint lod = 0) const { return read(Wide(p), i..., lod); }
  ASSAY_INLINE void write(const value& v, Wide p, Index... i, uint lod = 0) const {
    this->put(typename Shape::texel(v), this->place(p, i...), lod);
  }
  ASSAY_INLINE void write(const value& v, Narrow p, Index... i, uint lod = 0) const {
    write(v, Wide(p), i..., lod);
  }
};

/// Atomics as well.
template <class Shape, class Wide, class Narrow, class... Index>
class counted : public addressed<Shape, Wide, Narrow, Index...> {
 public:
  using addressed<Shape, Wide, Narrow, Index...>::addressed;
  typedef typename Shape::texel texel;

#define ASSAY_TEXEL_ATOMIC(Place, name)                                                        \
  ASSAY_INLINE texel atomic_##name(Place p, Index... i, const texel& v, ASSAY_PLACE) const {   \
    return changed(Wide(p), i..., assay_line, assay_file, [&](auto* one) {                     \
      return atomic_##name##_explicit(one, v.x, memory_order_relaxed, assay_line, assay_file); \
    });                                                                                        \
  }
#define ASSAY_TEXEL_ATOMICS(Place)                                                                     \
  ASSAY_TEXEL_ATOMIC(Place, exchange)                                                                  \
  ASSAY_TEXEL_ATOMIC(Place, fetch_add)                                                                 \
  ASSAY_TEXEL_ATOMIC(Place, fetch_sub)                                                                 \
  ASSAY_TEXEL_ATOMIC(Place, fetch_and)                                                                 \
  ASSAY_TEXEL_ATOMIC(Place, fetch_or)                                                                  \
  ASSAY_TEXEL_ATOMIC(Place, fetch_xor)                                                                 \
  ASSAY_TEXEL_ATOMIC(Place, fetch_min)                                                                 \
  ASSAY_TEXEL_ATOMIC(Place, fetch_max)                                                                 \
  ASSAY_INLINE texel atomic_load(Place p, Index... i, ASSAY_PLACE) const {                             \
    return changed(Wide(p), i..., assay_line, assay_file, [&](auto* one) {                             \
      return atomic_load_explicit(one, memory_order_relaxed, assay_line, assay_file);                  \
    });                                                                                                \
  }                                                                                                    \
  ASSAY_INLINE void atomic_store(const texel& v, Place p, Index... i, ASSAY_PLACE) const {             \
    changed(Wide(p), i..., assay_line, assay_file, [&](auto* one) {                                    \
      atomic_store_explicit(one, v.x, memory_order_relaxed, assay_line, assay_file);                   \
      return v.x;                                                                                      \
    });                                                                                                \
  }                                                                                                    \
  ASSAY_INLINE bool atomic_compare_exchange_weak(Place p, Index... i, texel* expected, const texel& v, \
                                                 ASSAY_PLACE) const {                                  \
    bool exchanged = false;                                                                            \
    changed(Wide(p), i..., assay_line, assay_file, [&](auto* one) {                                    \
      exchanged = atomic_compare_exchange_weak_explicit(one, &expected->x, v.x, memory_order_relaxed,  \
                                                        memory_order_relaxed, assay_line, assay_file); \
      return v.x;                                                                                      \
    });                                                                                                \
    return exchanged;                                                                                  \
  }
  ASSAY_TEXEL_ATOMICS(Wide)
  ASSAY_TEXEL_ATOMICS(Narrow)
#undef ASSAY_TEXEL_ATOMICS
#undef ASSAY_TEXEL_ATOMIC

 private:
  template <class Change>
  ASSAY_INLINE texel changed(Wide p, Index... i, uint line, const char* file, Change change) const {
    return Shape::changed(this->place(p, i...), change, line, file);
  }
};

template <class Texture>
ASSAY_INLINE bool is_null_texture(const Texture& texture) {
  return texture.state.texels == nullptr;
}

}  // namespace assay_msl
