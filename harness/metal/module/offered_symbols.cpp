#include "harness/metal/module/offered_symbols.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace assay::metal {
namespace {

using Symbols = std::set<std::string_view>;

const Symbols& offered() {
  static const Symbols kOffered = {
      // assay/runtime.h, assay/switch.h, assay/branches.h
      "assay_lane", "assay_threadgroup_memory", "assay_threadgroup_barrier", "assay_simdgroup_barrier",
      "assay_threadgroup_arrive", "assay_simdgroup_arrive", "assay_simdgroup_arrive_early",
      "assay_lane_leaves", "assay_collective", "assay_inactive_lane", "assay_check_matrix",
      "assay_check_tile", "assay_group_operation", "assay_no_value", "assay_no_element", "assay_atomic32",
      "assay_atomic32_compare_exchange", "assay_atomic64", "assay_fence", "assay_seen_branches",
      "assay_steps_left", "assay_out_of_steps", "assay_undefined_shift", "assay_undefined_shift_of",
      "assay_undefined_conversion", "assay_overflow", "assay_misaligned", "assay_no_texel_atomics",
      "assay_private_begins", "assay_private_ends", "assay_copy_begins", "assay_copy_ends",
      "assay_uniform_operand", "assay_no_lane", "assay_no_modulo", "assay_whole_simdgroup",
      "assay_address_as_number", "jump_fcontext",
      // assay/reference/choices.h, tensors.h, values.h, functions.h: of references, not of kernels.
      "assay_reference_choose", "assay_reference_begin", "assay_reference_again",
      "assay_reference_cannot_say", "assay_reference_assign", "assay_reference_overflow",
      "assay_reference_fail", "assay_reference_take", "assay_reference_give_back", "exp", "exp2", "log",
      "log2", "log10", "pow", "sqrt", "fma", "tanh", "sinh", "cosh", "asin", "acos", "atan", "ldexp",
      "scalbn", "ilogb", "floor", "ceil", "rint", "round", "trunc", "fmax", "fmin", "strcmp",
      // harness/metal/ir
      "assay_read1", "assay_read2", "assay_read4", "assay_read8", "assay_read16", "assay_write1",
      "assay_write2", "assay_write4", "assay_write8", "assay_write16", "assay_read_range",
      "assay_write_range", "assay_misaligned_copy", "assay_undefined_operation", "assay_undefined_quotient",
      // Copies of structures and arrays.
      "memcpy", "memmove", "memset", "memcmp",
      // metal/math.h; what is rounded to whole numbers at once.
      "acosf", "acoshf", "asinf", "asinhf", "atanf", "atan2f", "atanhf", "ceilf", "cosf", "coshf", "expf",
      "fmaxf", "fminf", "exp2f", "exp10f", "fdimf", "floorf", "fmaf", "fmodf", "frexpf", "ilogbf", "ldexpf",
      "logf", "log2f", "log10f", "nextafterf", "powf", "rintf", "roundf", "scalbnf", "sinf", "sinhf",
      "sincosf", "sqrtf", "tanf", "tanhf", "truncf", "cos", "sin", "sincos", "tan", "lrintf", "lroundf",
      "llrintf", "llroundf"};
  return kOffered;
}

}  // namespace

bool is_offered(std::string_view symbol) { return offered().contains(symbol); }

bool is_exported(std::string_view symbol) {
  static const Symbols kExported = {
      "assay_kernel_entry", "assay_kernel_parameters", "assay_function_constants",
      "assay_slot_names",   "assay_coherent_names",    "assay_slots_begin",
      "assay_slots_end",    "assay_limits_begin",      "assay_limits_end",
      "assay_sites",        "assay_site_files",        "assay_loops"};
  return kExported.contains(symbol);
}

}  // namespace assay::metal
