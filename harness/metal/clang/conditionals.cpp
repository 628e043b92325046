#include "harness/metal/clang/conditionals.hpp"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallString.h>

#include <set>
#include <utility>

namespace assay::metal {
namespace {

constexpr llvm::StringLiteral kWidened = "assay_msl::widened(";

}  // namespace

void widen_branches(const clang::Diagnostic& complaint, Edits& edits) {
  if (complaint.getID() != clang::diag::err_conditional_ambiguous || !complaint.hasSourceManager()) return;
  llvm::SmallString<256> message;
  complaint.FormatDiagnostic(message);
  if (!message.str().contains("bfloat")) return;
  const clang::SourceManager& sources = complaint.getSourceManager();
  std::set<std::pair<unsigned, unsigned>> branches;
  for (const clang::CharSourceRange& one : complaint.getRanges()) {
    const clang::CharSourceRange range = sources.getExpansionRange(one);
    const auto [file, begin] = sources.getDecomposedLoc(range.getBegin());
    const auto [same, last] = sources.getDecomposedLoc(range.getEnd());
    if (file != sources.getMainFileID() || same != file) return;
    const unsigned token =
        range.isTokenRange() ? clang::Lexer::MeasureTokenLength(range.getEnd(), sources, clang::LangOptions())
                             : 0;
    // What is written around it already is not what it takes.
    if (sources.getBufferData(file).substr(begin).starts_with(kWidened)) return;
    branches.emplace(begin, last + token);
  }
  for (const auto& [begin, end] : branches) {
    edits.insert(begin, kWidened.str());
    edits.insert(end, ")", true);
  }
}

}  // namespace assay::metal
