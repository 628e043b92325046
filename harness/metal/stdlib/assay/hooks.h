// Checked mode: where g++'s own run-time checks lead. Defined in the kernel's module, so that they cannot be
// taken for those of a program that is itself built with the sanitizers.
#pragma once

extern "C" {
void assay_index_out_of_bounds(const void* data, long index, const void* caller);
[[noreturn]] void assay_division_fault(const void* data, const void* caller);
void assay_misaligned(const void* data, const void* address);

__attribute__((visibility("hidden"))) void __ubsan_handle_out_of_bounds(void* data, void* index) {
  assay_index_out_of_bounds(data, (long)index, __builtin_return_address(0));
}
__attribute__((visibility("hidden"))) void __ubsan_handle_divrem_overflow(void* data, void*, void*) {
  assay_division_fault(data, __builtin_return_address(0));
}
__attribute__((visibility("hidden"))) void __ubsan_handle_type_mismatch_v1(void* data, void* address) {
  assay_misaligned(data, address);
}
}
