// Where g++'s own run-time checks lead. Defined in the kernel's module, so that they cannot be taken for those of a
// program that is itself built with the sanitizers. Fast code has traps in place of calls.
#pragma once

#if defined(ASSAY_CHECKED) && !defined(__clang__)  // of clang, a pass sees to it (harness/metal/ir/undefined.hpp)
#define ASSAY_HIDDEN __attribute__((visibility("hidden")))

extern "C" {
void assay_index_out_of_bounds(const void* data, long index, const void* caller);
void assay_misaligned(const void* data, const void* address);
void assay_undefined_shift(const void* data, ulong count, const void* caller);
void assay_undefined_conversion(const void* data, ulong value, const void* caller);
ulong assay_overflow(ulong wrapped, const void* caller);

ASSAY_HIDDEN void __ubsan_handle_out_of_bounds(void* data, void* index) {
  assay_index_out_of_bounds(data, (long)index, __builtin_return_address(0));
}
ASSAY_HIDDEN void __ubsan_handle_type_mismatch_v1(void* data, void* address) {
  assay_misaligned(data, address);
}
ASSAY_HIDDEN void __ubsan_handle_shift_out_of_bounds(void* data, void*, void* count) {
  assay_undefined_shift(data, (ulong)count, __builtin_return_address(0));
}
ASSAY_HIDDEN void __ubsan_handle_float_cast_overflow(void* data, void* value) {
  assay_undefined_conversion(data, (ulong)value, __builtin_return_address(0));
}

// What -ftrapv calls where a signed sum, difference or product may overflow. Such a one wraps around, as in
// fast code, unless the device tries what depends on it.
#define ASSAY_TRAPPING(name, T, operation)                              \
  __attribute__((visibility("hidden"), used)) T name(T a, T b) {        \
    T result;                                                           \
    if (!__builtin_##operation##_overflow(a, b, &result)) return result; \
    return T(assay_overflow((ulong)result, __builtin_return_address(0))); \
  }
#define ASSAY_TRAPPING_SIGN(name, T, condition)                         \
  __attribute__((visibility("hidden"), used)) T name(T a) {             \
    T result;                                                           \
    if (!(condition)) return a;                                         \
    if (!__builtin_sub_overflow(T(0), a, &result)) return result;       \
    return T(assay_overflow((ulong)result, __builtin_return_address(0))); \
  }
ASSAY_TRAPPING(__addvsi3, int, add)
ASSAY_TRAPPING(__subvsi3, int, sub)
ASSAY_TRAPPING(__mulvsi3, int, mul)
ASSAY_TRAPPING(__addvdi3, long, add)
ASSAY_TRAPPING(__subvdi3, long, sub)
ASSAY_TRAPPING(__mulvdi3, long, mul)
ASSAY_TRAPPING_SIGN(__negvsi2, int, true)
ASSAY_TRAPPING_SIGN(__negvdi2, long, true)
ASSAY_TRAPPING_SIGN(__absvsi2, int, a < 0)
ASSAY_TRAPPING_SIGN(__absvdi2, long, a < 0)
// Metal has no numbers of 128 bits. The library multiplies and adds those of 64 in them, which does not overflow.
#define ASSAY_WIDE(name, operation)                                                               \
  __attribute__((visibility("hidden"), used)) __int128 name(__int128 a, __int128 b) {              \
    return __int128((unsigned __int128)a operation(unsigned __int128) b);                         \
  }
ASSAY_WIDE(__addvti3, +)
ASSAY_WIDE(__subvti3, -)
ASSAY_WIDE(__mulvti3, *)
#undef ASSAY_WIDE
#undef ASSAY_TRAPPING
#undef ASSAY_TRAPPING_SIGN
}
#undef ASSAY_HIDDEN
#endif
