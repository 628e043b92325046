// Where something stands in the user's text. Clang's types stay within this folder.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

#include "harness/metal/clang/reader.hpp"

namespace assay::metal {

/// Of what a macro has written, the place of the macro. Without a file where there is none.
inline Diagnostic::Place place_of(const clang::SourceManager& sources, clang::SourceLocation at) {
  const clang::PresumedLoc found = sources.getPresumedLoc(sources.getExpansionLoc(at));
  if (found.isInvalid()) return {};
  const auto [file, byte] = sources.getDecomposedLoc(sources.getExpansionLoc(at));
  return {found.getFilename(), found.getLine(), found.getColumn(),
          file == sources.getMainFileID() ? std::optional(byte) : std::nullopt};
}

inline Diagnostic::Place place_of(const clang::Decl& declaration) {
  return place_of(declaration.getASTContext().getSourceManager(), declaration.getLocation());
}

}  // namespace assay::metal
