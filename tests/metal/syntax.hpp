// What the words of a text are that need have no kernel.
#pragma once

#include <string>

#include "harness/metal/text/outline_query.hpp"

namespace assay::metal {

inline Syntax syntax_of(const std::string& text) {
  return outline_of(text, {"k.metal", "", {}, {}, {}}, {.lists = true, .syntax = true}).syntax;
}

}  // namespace assay::metal
