// What the text of a reference is compiled with. The text stands inside of a class that has the operation's
// dimensions and tensors as members (harness/oracle/compile_reference.cpp).
#pragma once

#include "assay/reference/tensors.h"
#include "assay/reference/values.h"

namespace assay_reference {

/// Calls fill() where the text has one.
template <class Operation>
auto fill_with(Operation& operation, const Call& call, int)
    -> decltype(operation.fill(*static_cast<Draw*>(nullptr))) {
  Draw draw(call);
  return operation.fill(draw);
}
template <class Operation>
void fill_with(Operation&, const Call&, long) {}

}  // namespace assay_reference

// What a loaded kernel says of itself (assay/entry.h), here nothing: so a reference is loaded as a kernel is, and
// lines of its text are found in the same way.
extern "C" {
#define ASSAY_SHOWN __attribute__((visibility("default")))
ASSAY_SHOWN extern const void* const assay_kernel_parameters[] = {nullptr};
ASSAY_SHOWN extern const char* const assay_slot_names[] = {nullptr};
ASSAY_SHOWN extern const char* const assay_coherent_names[] = {nullptr};
ASSAY_SHOWN extern const int assay_function_constants[] = {-1};
ASSAY_SHOWN extern const void* const assay_slots_begin = nullptr;
ASSAY_SHOWN extern const void* const assay_slots_end = nullptr;
ASSAY_SHOWN extern const void* const assay_limits_begin = nullptr;
ASSAY_SHOWN extern const void* const assay_limits_end = nullptr;
}
#define ASSAY_REFERENCE_ENTRY extern "C" ASSAY_SHOWN void assay_kernel_entry
