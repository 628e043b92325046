// Everything that a Metal kernel sees ahead of its own text: the stand-in for <metal_stdlib>.
//
// The library lives in namespace assay_msl; what Metal has of it, and nothing else, is named in namespace
// metal here, so that `using namespace metal` brings no name that a kernel may want for itself.
#pragma once
#pragma GCC system_header

#define METAL_FUNC inline __attribute__((__always_inline__))

#include "assay/runtime.h"
#include "metal/array.h"
#include "metal/async_copy.h"
#include "metal/common.h"
#include "metal/compiler_functions.h"
#include "metal/geometric.h"
#include "metal/initializer_list.h"
#include "metal/integer.h"
#include "metal/limits.h"
#include "metal/limits_of_vectors.h"
#include "metal/literals.h"
#include "metal/logging.h"
#include "metal/math.h"
#include "metal/matrix.h"
#include "metal/pack.h"
#include "metal/scalar_types.h"
#include "metal/simdgroup.h"
#include "metal/simdgroup_matrix.h"
#include "metal/synchronize.h"
#include "metal/tessellation.h"
#ifdef ASSAY_TEXTURES
#include "metal/texture.h"
#include "metal/texture_cube.h"
#endif
#ifdef ASSAY_TENSORS
#include "metal/matmul2d.h"
#endif
#include "metal/type_names.h"
#include "metal/type_traits.h"
#include "metal/vec.h"

// Functions that come precise and fast as well: `of` has those that differ (metal/math.h).
#define ASSAY_FLOAT_FUNCTIONS(of)                                                                                   \
  using of::acos, of::acosh, of::asin, of::asinh, of::atan, of::atan2, of::atanh, of::cos;                          \
  using of::cosh, of::cospi, of::divide, of::exp, of::exp10, of::exp2, of::log, of::log10;                          \
  using of::log2, of::pow, of::powr, of::rsqrt, of::sin, of::sincos, of::sinh, of::sinpi;                           \
  using of::sqrt, of::tan, of::tanh, of::tanpi;                                                                     \
  using assay_msl::abs, assay_msl::ceil, assay_msl::clamp, assay_msl::copysign, assay_msl::cross;                   \
  using assay_msl::distance, assay_msl::distance_squared, assay_msl::dot, assay_msl::fabs, assay_msl::faceforward;  \
  using assay_msl::fdim, assay_msl::floor, assay_msl::fma, assay_msl::fmax, assay_msl::fmax3;                       \
  using assay_msl::fmedian3, assay_msl::fmin, assay_msl::fmin3, assay_msl::fmod, assay_msl::fract;                  \
  using assay_msl::frexp, assay_msl::ilogb, assay_msl::isfinite, assay_msl::isinf, assay_msl::isnan;                \
  using assay_msl::isnormal, assay_msl::isordered, assay_msl::isunordered, assay_msl::ldexp, assay_msl::length;     \
  using assay_msl::length_squared, assay_msl::max, assay_msl::max3, assay_msl::median3, assay_msl::min;             \
  using assay_msl::min3, assay_msl::mix, assay_msl::modf, assay_msl::nextafter, assay_msl::normalize;               \
  using assay_msl::reflect, assay_msl::refract, assay_msl::rint, assay_msl::round, assay_msl::saturate;             \
  using assay_msl::select, assay_msl::sign, assay_msl::signbit, assay_msl::smoothstep, assay_msl::step;             \
  using assay_msl::trunc;                                                                                          

#define ASSAY_PACK_NAMES(name)                                                   \
  using assay_msl::unpack_##name##_to_float, assay_msl::unpack_##name##_to_half; \
  using assay_msl::pack_float_to_##name, assay_msl::pack_half_to_##name;

#define ASSAY_LANE_NAMES(group)                                                                          \
  using assay_msl::group##_vote, assay_msl::group##_active_threads_mask, assay_msl::group##_all;         \
  using assay_msl::group##_and, assay_msl::group##_any, assay_msl::group##_ballot;                       \
  using assay_msl::group##_broadcast, assay_msl::group##_broadcast_first, assay_msl::group##_is_first;   \
  using assay_msl::group##_is_helper_thread, assay_msl::group##_max, assay_msl::group##_min;             \
  using assay_msl::group##_or, assay_msl::group##_prefix_exclusive_product;                              \
  using assay_msl::group##_prefix_exclusive_sum, assay_msl::group##_prefix_inclusive_product;            \
  using assay_msl::group##_prefix_inclusive_sum, assay_msl::group##_product, assay_msl::group##_shuffle; \
  using assay_msl::group##_shuffle_and_fill_down, assay_msl::group##_shuffle_and_fill_up;                \
  using assay_msl::group##_shuffle_down, assay_msl::group##_shuffle_rotate_down;                         \
  using assay_msl::group##_shuffle_rotate_up, assay_msl::group##_shuffle_up;                             \
  using assay_msl::group##_shuffle_xor, assay_msl::group##_sum, assay_msl::group##_xor;

namespace metal {

using ::int8_t, ::int16_t, ::int32_t, ::int64_t, ::uint8_t, ::uint16_t, ::uint32_t, ::uint64_t;
using ::size_t, ::ptrdiff_t, ::uintptr_t, ::intptr_t;

ASSAY_FLOAT_FUNCTIONS(assay_msl)
namespace precise {
ASSAY_FLOAT_FUNCTIONS(assay_msl::accurate)
}
namespace fast {
ASSAY_FLOAT_FUNCTIONS(assay_msl)
}

// <metal_types>, <metal_matrix>, <metal_array>, <metal_limits>, <metal_relational>, <metal_integer>
using assay_msl::absdiff, assay_msl::addsat, assay_msl::clz, assay_msl::ctz, assay_msl::extract_bits;
using assay_msl::all, assay_msl::any, assay_msl::array, assay_msl::determinant, assay_msl::mad;
using std::initializer_list;
using assay_msl::hadd, assay_msl::insert_bits, assay_msl::mad24, assay_msl::madhi, assay_msl::madsat;
using assay_msl::matrix, assay_msl::packed_vec, assay_msl::transpose,
    assay_msl::vec;
using assay_msl::mul24, assay_msl::mulhi, assay_msl::popcount, assay_msl::reverse_bits, assay_msl::rhadd;
using assay_msl::rotate, assay_msl::subsat;

// <metal_pack>
ASSAY_PACK_NAMES(unorm4x8)
ASSAY_PACK_NAMES(snorm4x8)
ASSAY_PACK_NAMES(unorm2x16)
ASSAY_PACK_NAMES(snorm2x16)
ASSAY_PACK_NAMES(unorm4x8_srgb)
ASSAY_PACK_NAMES(unorm10a2)
ASSAY_PACK_NAMES(unorm565)
using assay_msl::pack_float_to_srgb_unorm4x8, assay_msl::pack_half_to_srgb_unorm4x8;

// <metal_type_traits>; those that kernels may specialise are in metal/open_traits.h
using assay_msl::add_const, assay_msl::add_const_t, assay_msl::add_pointer, assay_msl::add_pointer_t;
using assay_msl::bool_constant, assay_msl::conditional, assay_msl::conditional_t, assay_msl::conjunction;
using assay_msl::conjunction_v, assay_msl::decay, assay_msl::decay_t, assay_msl::declval;
using assay_msl::_conjunction, assay_msl::_disjunction, assay_msl::_negation;
using assay_msl::disjunction, assay_msl::disjunction_v, assay_msl::enable_if, assay_msl::enable_if_t;
using assay_msl::remove_addrspace, assay_msl::remove_addrspace_t;
using assay_msl::false_type, assay_msl::integral_constant, assay_msl::is_array, assay_msl::is_array_v;
using assay_msl::is_base_of, assay_msl::is_base_of_v, assay_msl::is_class, assay_msl::is_class_v;
using assay_msl::is_const, assay_msl::is_const_v;
using assay_msl::is_enum, assay_msl::is_enum_v, assay_msl::is_pointer, assay_msl::is_pointer_v;
using assay_msl::is_reference, assay_msl::is_reference_v, assay_msl::is_same, assay_msl::is_same_v;
using assay_msl::is_trivially_copyable, assay_msl::is_trivially_copyable_v, assay_msl::is_union;
using assay_msl::is_union_v, assay_msl::is_void, assay_msl::is_void_v, assay_msl::make_signed;
using assay_msl::make_signed_t, assay_msl::make_unsigned, assay_msl::make_unsigned_t, assay_msl::negation;
using assay_msl::negation_v, assay_msl::remove_const, assay_msl::remove_const_t, assay_msl::remove_cv;
using assay_msl::remove_cv_t, assay_msl::remove_extent, assay_msl::remove_extent_t;
using assay_msl::remove_pointer, assay_msl::remove_pointer_t, assay_msl::remove_reference;
using assay_msl::remove_reference_t, assay_msl::remove_volatile, assay_msl::remove_volatile_t;
using assay_msl::true_type, assay_msl::underlying_type, assay_msl::underlying_type_t, assay_msl::void_t;
using assay_msl::add_cv, assay_msl::add_cv_t, assay_msl::add_lvalue_reference;
using assay_msl::add_lvalue_reference_t, assay_msl::add_rvalue_reference, assay_msl::add_rvalue_reference_t;
using assay_msl::add_volatile, assay_msl::add_volatile_t, assay_msl::alignment_of, assay_msl::alignment_of_v;
using assay_msl::common_type, assay_msl::common_type_t, assay_msl::extent, assay_msl::extent_v;
using assay_msl::is_abstract, assay_msl::is_abstract_v;
using assay_msl::is_compound, assay_msl::is_compound_v, assay_msl::is_constructible;
using assay_msl::is_constructible_v, assay_msl::is_default_constructible;
using assay_msl::is_default_constructible_v, assay_msl::is_final;
using assay_msl::is_final_v, assay_msl::is_function, assay_msl::is_function_v, assay_msl::is_fundamental;
using assay_msl::is_fundamental_v, assay_msl::is_lvalue_reference, assay_msl::is_lvalue_reference_v;
using assay_msl::is_object, assay_msl::is_object_v, assay_msl::is_polymorphic, assay_msl::is_polymorphic_v;
using assay_msl::is_rvalue_reference, assay_msl::is_rvalue_reference_v, assay_msl::is_standard_layout;
using assay_msl::is_standard_layout_v, assay_msl::is_trivial, assay_msl::is_trivial_v;
using assay_msl::is_trivially_constructible, assay_msl::is_trivially_constructible_v, assay_msl::is_volatile;
using assay_msl::is_volatile_v, assay_msl::rank, assay_msl::rank_v, assay_msl::remove_all_extents;
using assay_msl::remove_all_extents_t, assay_msl::result_of, assay_msl::result_of_t;

// <metal_compute>, <metal_atomic>
using assay_msl::_atomic, assay_msl::atomic, assay_msl::atomic_bool, assay_msl::atomic_float,
    assay_msl::atomic_int;
using assay_msl::atomic_compare_exchange_weak_explicit, assay_msl::atomic_exchange_explicit;
using assay_msl::atomic_fetch_add_explicit, assay_msl::atomic_fetch_and_explicit;
using assay_msl::atomic_fetch_max_explicit, assay_msl::atomic_fetch_min_explicit;
using assay_msl::atomic_fetch_or_explicit, assay_msl::atomic_fetch_sub_explicit;
using assay_msl::atomic_fetch_xor_explicit, assay_msl::atomic_load_explicit, assay_msl::atomic_max_explicit;
using assay_msl::atomic_long, assay_msl::atomic_uint, assay_msl::atomic_ulong;
using assay_msl::atomic_min_explicit, assay_msl::atomic_store_explicit, assay_msl::atomic_thread_fence;
using assay_msl::mem_flags, assay_msl::memory_order, assay_msl::memory_scope, assay_msl::thread_scope;
using assay_msl::memory_order_acq_rel, assay_msl::memory_order_acquire, assay_msl::memory_order_relaxed;
using assay_msl::memory_order_release, assay_msl::memory_order_seq_cst, assay_msl::memory_scope_device;
using assay_msl::memory_scope_simdgroup, assay_msl::memory_scope_threadgroup, assay_msl::thread_scope_device;
using assay_msl::simdgroup_barrier, assay_msl::threadgroup_barrier;
using assay_msl::memory_scope_system, assay_msl::thread_scope_system;
using assay_msl::thread_scope_simdgroup, assay_msl::thread_scope_thread, assay_msl::thread_scope_threadgroup;

// <metal_simdgroup>, <metal_quadgroup>, <metal_simdgroup_matrix>
ASSAY_LANE_NAMES(simd)
ASSAY_LANE_NAMES(quad)
using assay_msl::__is_valid_simdgroup_type;
using ::simdgroup_bfloat8x8, ::simdgroup_float8x8, ::simdgroup_half8x8;
using assay_msl::make_filled_simdgroup_matrix, assay_msl::simdgroup_load, assay_msl::simdgroup_matrix;
using assay_msl::simdgroup_multiply, assay_msl::simdgroup_multiply_accumulate, assay_msl::simdgroup_store;

#ifdef ASSAY_TEXTURES
// <metal_texture>: where the text asks for it, since its names are words of many.
using assay_msl::access, assay_msl::address, assay_msl::bias, assay_msl::component, assay_msl::coord;
using assay_msl::filter, assay_msl::is_null_texture, assay_msl::level, assay_msl::mag_filter;
using assay_msl::min_filter, assay_msl::mip_filter, assay_msl::r_address, assay_msl::s_address;
using assay_msl::border_color, assay_msl::compare_func, assay_msl::depth2d, assay_msl::gradient2d;
using assay_msl::lod_clamp, assay_msl::max_anisotropy, assay_msl::min_lod_clamp;
using assay_msl::sampler, assay_msl::t_address, assay_msl::texture1d, assay_msl::texture2d;
using assay_msl::texture2d_array, assay_msl::texture3d, assay_msl::texture_buffer;
using assay_msl::depth2d_array, assay_msl::depth2d_ms, assay_msl::depthcube, assay_msl::gradient3d;
using assay_msl::gradientcube, assay_msl::texture1d_array, assay_msl::texture2d_ms, assay_msl::texturecube;
using assay_msl::depthcube_array, assay_msl::texturecube_array;
#endif

#ifdef ASSAY_TENSORS
// <metal_tensor>, <metal_cooperative_tensor>: where the text asks for them, since some programs have tensors
// of their own.
using assay_msl::cooperative_tensor, assay_msl::dextents, assay_msl::dynamic_extent, assay_msl::extents;
using assay_msl::dynamic_length_v, assay_msl::execution_simdgroup, assay_msl::execution_simdgroups;
using assay_msl::execution_thread, assay_msl::tensor, assay_msl::tensor_handle, assay_msl::tensor_inline;
#endif

}  // namespace metal

#ifdef ASSAY_TENSORS
namespace mpp {
namespace tensor_ops {
using assay_msl::matmul2d, assay_msl::matmul2d_descriptor;
}
}  // namespace mpp
#endif

#include "metal/open_traits.h"

#undef ASSAY_FLOAT_FUNCTIONS
#undef ASSAY_LANE_NAMES
#undef ASSAY_PACK_NAMES

#include "assay/arithmetic.h"
#include "assay/branches.h"
#include "assay/early_barrier.h"
#include "assay/leave.h"
