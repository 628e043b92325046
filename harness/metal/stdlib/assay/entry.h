// The entry point of a kernel: hands a lane's position and the bound buffers to the kernel function,
// whatever its parameter types are. Included ahead of the kernel's text, after assay/metal.h.
#pragma once

#include "assay/runtime.h"
#include "assay/shape.h"

/// What the simulator looks up; all else is hidden, so that calls can be inlined and never lead out of the module.
#define ASSAY_EXPORT extern "C" __attribute__((visibility("default")))

namespace assay_entry {

/// Where a parameter's value comes from, as harness/metal/module/module.cpp numbers them; the names are those of the
/// attributes (Apple's Metal Shading Language Specification, section 5.2.3).
enum kind : int {
  buffer,
  constant_reference,  ///< `constant T&`: copied, since nothing can change it during a launch
  threadgroup_memory,
  thread_position_in_grid,
  thread_position_in_threadgroup,
  threadgroup_position_in_grid,
  threads_per_threadgroup,
  dispatch_threads_per_threadgroup,
  threadgroups_per_grid,
  threads_per_grid,
  grid_origin,
  thread_index_in_threadgroup,
  thread_index_in_simdgroup,
  simdgroup_index_in_threadgroup,
  simdgroups_per_threadgroup,
  threads_per_simdgroup,
  thread_execution_width,
  thread_index_in_quadgroup,
  quadgroup_index_in_threadgroup,
  quadgroups_per_threadgroup,
  dispatch_simdgroups_per_threadgroup,
  dispatch_quadgroups_per_threadgroup,
  texture = 23,
  sampler = 24,
  absent = 22,  ///< [[function_constant(flag)]] where the flag is not set
};

struct arguments {
  void* const* buffers;
  void* const* threadgroup_memory;
  const void* textures;  ///< texture_state and sampler_state of metal/texture.h
  const void* samplers;
  uint dispatch_threads[3];  ///< of a full threadgroup: those at the edge of a grid in threads have fewer
};

struct parameter {
  const char* name;
  int kind;
  int index;
  unsigned texture;  ///< what a texture is, or that it is a sampler (traits_of below); else 0
  const part* shape;  ///< of memory where the text has argument buffers; else null
};

template <int Kind, int Index>
struct spec {};

template <class T>
struct plain {
  typedef T type;
};
template <class T>
struct plain<T&> {
  typedef T type;
};
template <class T>
struct plain<const T> {
  typedef T type;
};
template <class T>
struct plain<const T&> {
  typedef T type;
};

// A position as the parameter's type asks for it: a scalar takes x, a vector as many as it has.
template <class P>
struct position {
  static P of(const uint* v) { return P(v[0]); }
};
template <class T>
struct position<metal::vec<T, 2>> {
  static metal::vec<T, 2> of(const uint* v) { return metal::vec<T, 2>(T(v[0]), T(v[1])); }
};
template <class T>
struct position<metal::vec<T, 3>> {
  static metal::vec<T, 3> of(const uint* v) { return metal::vec<T, 3>(T(v[0]), T(v[1]), T(v[2])); }
};

// A position or an index, chosen by kind.
template <class P, class S>
struct argument;

template <class P, int Kind, int Index>
struct argument<P, spec<Kind, Index>> {
  typename plain<P>::type value;
  explicit argument(const arguments& a) : value(read(a)) {}
  operator P() { return value; }

 private:
  typedef typename plain<P>::type T;
  static T read(const arguments& a) {
    const assay_lane_t& lane = *assay_lane;
    switch (Kind) {
      case thread_position_in_grid: return position<T>::of(lane.position_in_grid);
      case thread_position_in_threadgroup: return position<T>::of(lane.position_in_threadgroup);
      case threadgroup_position_in_grid: return position<T>::of(lane.threadgroup_position);
      case threads_per_threadgroup: return position<T>::of(lane.threads_per_threadgroup);
      case dispatch_threads_per_threadgroup: return position<T>::of(a.dispatch_threads);
      case threadgroups_per_grid: return position<T>::of(lane.threadgroups_per_grid);
      case threads_per_grid: return position<T>::of(lane.threads_per_grid);
      default: break;
    }
    const uint zero[3] = {0, 0, 0};
    const uint index[3] = {index_of(lane, a), 0, 0};
    return Kind == grid_origin ? position<T>::of(zero) : position<T>::of(index);
  }
  static uint index_of(const assay_lane_t& lane, const arguments& a) {
    const uint full =
        (a.dispatch_threads[0] * a.dispatch_threads[1] * a.dispatch_threads[2] + ASSAY_SIMDGROUP_WIDTH - 1) /
        ASSAY_SIMDGROUP_WIDTH;
    switch (Kind) {
      case thread_index_in_threadgroup: return lane.index_in_threadgroup;
      case thread_index_in_simdgroup: return lane.index_in_simdgroup;
      case simdgroup_index_in_threadgroup: return lane.simdgroup_index;
      case simdgroups_per_threadgroup: return lane.simdgroups_per_threadgroup;
      case dispatch_simdgroups_per_threadgroup: return full;
      case threads_per_simdgroup:
      case thread_execution_width: return ASSAY_SIMDGROUP_WIDTH;
      case thread_index_in_quadgroup: return lane.index_in_threadgroup % 4;
      case quadgroup_index_in_threadgroup: return lane.index_in_threadgroup / 4;
      case quadgroups_per_threadgroup: return lane.simdgroups_per_threadgroup * (ASSAY_SIMDGROUP_WIDTH / 4);
      case dispatch_quadgroups_per_threadgroup: return full * (ASSAY_SIMDGROUP_WIDTH / 4);
      default: return 0;
    }
  }
};

template <class T, int Index>
struct argument<T*, spec<buffer, Index>> {
  void* address;
  explicit argument(const arguments& a) : address(a.buffers[Index]) {}
  operator T*() { return static_cast<T*>(address); }
};
template <class T, int Index>
struct argument<T&, spec<buffer, Index>> {
  void* address;
  explicit argument(const arguments& a) : address(a.buffers[Index]) {}
  operator T&() { return *static_cast<T*>(address); }
};
template <class T, int Index>
struct argument<const T&, spec<constant_reference, Index>> {
  T value;
  explicit argument(const arguments& a) : value(*static_cast<const T*>(a.buffers[Index])) {}
  operator const T&() { return value; }
};
template <class T, size_t N, int Index>
struct argument<const T (&)[N], spec<constant_reference, Index>> {
  typedef const T array[N];
  void* address;
  explicit argument(const arguments& a) : address(a.buffers[Index]) {}
  operator array&() { return *static_cast<array*>(address); }
};
template <class T, int Index>
struct argument<T*, spec<threadgroup_memory, Index>> {
  void* address;
  explicit argument(const arguments& a) : address(a.threadgroup_memory[Index]) {}
  operator T*() { return static_cast<T*>(address); }
};
template <class T, int Index>
struct argument<T&, spec<threadgroup_memory, Index>> {
  void* address;
  explicit argument(const arguments& a) : address(a.threadgroup_memory[Index]) {}
  operator T&() { return *static_cast<T*>(address); }
};

/// Of a texture, as harness/metal/module/module.cpp takes it apart: which extents it has in the lowest four bits, what
/// its numbers are in two, its access in two; of a sampler 15; in the bits above, of an array of either, how many
/// they are; of everything else 0.
template <class T>
constexpr unsigned traits_of(long) {
  return 0;
}
#ifdef ASSAY_TEXTURES
template <class T, unsigned Traits = T::assay_traits>
constexpr unsigned traits_of(int) {
  return Traits;
}
template <class T>
struct textures_of {
  static constexpr unsigned traits = traits_of<T>(0);
};
template <class T, size_t N>
struct textures_of<assay_msl::array<T, N>> {
  static constexpr unsigned element = traits_of<typename plain<T>::type>(0);  // 0: an array of something else
  static_assert(element == 0 || (N > 0 && N <= 31), "assay: an array of textures or samplers has 1 to 31");
  static constexpr unsigned traits = element == 0 ? 0 : element | unsigned(N) << 8;
};
#else
template <class T>
struct textures_of {
  static constexpr unsigned traits = 0;
};
#endif

#ifdef ASSAY_TEXTURES
// Textures and samplers alike: one, or an array of them.
template <class T>
struct bound_states {
  template <class State>
  static T from(const State* first) {
    return T(*first);
  }
};
template <class T, size_t N>
struct bound_states<assay_msl::array<T, N>> {
  template <class State>
  static assay_msl::array<T, N> from(const State* first) {
    assay_msl::array<T, N> all;
    for (size_t i = 0; i < N; ++i) all.elements[i] = T(first[i]);
    return all;
  }
};
template <class P, int Index>
struct argument<P, spec<texture, Index>> {
  typedef typename plain<P>::type T;
  T value;
  explicit argument(const arguments& a)
      : value(bound_states<T>::from(static_cast<const assay_msl::texture_state*>(a.textures) + Index)) {}
  operator P() { return value; }
};
template <class P, int Index>
struct argument<P, spec<sampler, Index>> {
  typedef typename plain<P>::type T;
  T value;
  explicit argument(const arguments& a)
      : value(bound_states<T>::from(static_cast<const assay_msl::sampler_state*>(a.samplers) + Index)) {}
  operator P() { return value; }
};
#endif

template <class P, int Index>
struct argument<P, spec<absent, Index>> {
  explicit argument(const arguments&) {}
  operator P() { return P(); }
};
template <class T, int Index>
struct argument<T&, spec<absent, Index>> {
  explicit argument(const arguments&) {}
  operator T&() { return *static_cast<T*>(nullptr); }
};

template <auto F>
struct call;
template <class... P, void (*F)(P...)>
struct call<F> {
  static constexpr unsigned traits(int parameter) {
    const unsigned all[] = {textures_of<typename plain<P>::type>::traits..., 0};
    return all[parameter];
  }
  template <class... S>
  static inline __attribute__((always_inline)) void with(const arguments& a) {
    (void)a;
    F(argument<P, S>(a)...);
  }
};

}  // namespace assay_entry

/// What a module says of itself, so that nothing has to run for it: one record for each declaration in
/// threadgroup memory, and the kernel's [[max_total_threads_per_threadgroup]].
struct assay_slot_record {
  uint slot;
  uint size_bytes;
};
struct assay_limit_record {
  uint threads;
};
extern "C" {
/// A pass (harness/metal/ir/notes.hpp) makes the records of what these are called with, and takes the calls out.
void assay_note_slot(uint slot, uint size_bytes);
void assay_note_limit(uint threads);
}
ASSAY_EXPORT const assay_slot_record* const assay_slots_begin;
ASSAY_EXPORT const assay_slot_record* const assay_slots_end;
ASSAY_EXPORT const assay_limit_record* const assay_limits_begin;
ASSAY_EXPORT const assay_limit_record* const assay_limits_end;
const assay_slot_record* const assay_slots_begin = nullptr;
const assay_slot_record* const assay_slots_end = nullptr;
const assay_limit_record* const assay_limits_begin = nullptr;
const assay_limit_record* const assay_limits_end = nullptr;

namespace assay_entry {
template <int N>
inline __attribute__((always_inline)) void limit_threads() {
  static_assert(N > 0, "max_total_threads_per_threadgroup is not positive");
  assay_note_limit(N);
}
}  // namespace assay_entry
