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
