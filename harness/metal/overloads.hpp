// What classes and overloads do with address spaces: methods qualified by them, and functions that differ by
// nothing else, which erasing the address spaces would make one.
#pragma once

#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {

/// Erases the address spaces that qualify methods: `T get() const constant;`.
///
/// Functions, methods and partial specialisations that become the same once address spaces are erased: where
/// they also do the same, all but the first are erased from the text. Looks at the declarations and at their
/// members. Throws UnsupportedFeature, naming both lines, where they do different things.
void merge_overloads(TokenText& text, const std::vector<Declaration>& declarations);

}  // namespace assay::metal
