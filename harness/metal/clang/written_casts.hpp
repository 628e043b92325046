// Casts that a text writes out, by their places.
#pragma once

#include <clang/AST/ASTConsumer.h>

#include <memory>
#include <set>
#include <string>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Where casts stand: in instances of templates too.
struct WrittenCasts {
  std::set<Diagnostic::Place>
      to_integers;  ///< of floating-point numbers: `int(x)`, `(int)x`, `static_cast<int>(x)`
  std::set<Diagnostic::Place>
      of_addresses;  ///< to integers: `(ulong)p`, `ulong(p)`, `reinterpret_cast<ulong>(p)`
};

/// Notes the casts of a text, and none of the library's (its folder). Complete when the text is.
std::unique_ptr<clang::ASTConsumer> written_casts(std::string library, WrittenCasts& found);

}  // namespace assay::metal
