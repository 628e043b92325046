// Whether it takes a certain order of threads to show what is wrong with a kernel.
#pragma once

#include <string>

#include "properties/cases/trial.hpp"

namespace assay::properties {

/// Runs the failing case again with its threads in a plain order: threadgroups one by one, and the threads of
/// each in turn. Says so where it is right then; else "".
std::string plain_order_in_words(const Trial& trial, Problem problem);

}  // namespace assay::properties
