#include "harness/metal/clang/conditionals.hpp"

#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/SmallString.h>

#include <map>

namespace assay::metal {
namespace {

constexpr llvm::StringLiteral kWidened = "assay_msl::widened(";

}  // namespace

void MixedConditionals::note(const clang::Diagnostic& complaint) {
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
  branches_.insert(branches.begin(), branches.end());
}

std::string MixedConditionals::widened(const std::string& text) const {
  std::map<unsigned, std::string> added;
  for (const auto& [begin, end] : branches_) {
    added[begin] += kWidened;
    added[end].insert(0, ")");  // ahead of what begins there
  }
  std::string result;
  unsigned at = 0;
  for (const auto& [place, words] : added) {
    result.append(text, at, place - at).append(words);
    at = place;
  }
  return result.append(text, at);
}

}  // namespace assay::metal
