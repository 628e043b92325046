#include "harness/metal/clang/arithmetic_pragmas.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Pragma.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "harness/metal/clang/debug_places.hpp"
#include "harness/metal/clang/reader.hpp"

namespace assay::metal {
namespace {

using namespace clang;

// What a pragma says: nothing of what it does not name.
struct SaidPragma {
  std::optional<bool> contract, reassociate;
};

// A place where what is allowed may change.
struct Event {
  enum Kind { opens, says, closes } kind;
  SourceLocation at;
  SaidPragma said;
};

class Handler : public PragmaHandler {
 public:
  explicit Handler(std::vector<Event>& events) : PragmaHandler("fp"), events_(events) {}

  // contract(off), contract(on), contract(fast), math_mode(safe), math_mode(relaxed), math_mode(fast)
  void HandlePragma(Preprocessor& preprocessor, PragmaIntroducer introducer, Token& token) override {
    SaidPragma said;
    std::string of;  // the word ahead of the parentheses
    for (; token.isNot(tok::eod); preprocessor.LexUnexpandedToken(token)) {
      if (token.isNot(tok::identifier)) continue;
      const std::string word = token.getIdentifierInfo()->getName().str();
      if (of == "contract") said.contract = word != "off";
      if (of == "math_mode") said.reassociate = word != "safe";
      of = word == "contract" || word == "math_mode" ? word : "";
    }
    events_.push_back({Event::says, preprocessor.getSourceManager().getExpansionLoc(introducer.Loc), said});
  }

 private:
  std::vector<Event>& events_;
};

class Blocks : public RecursiveASTVisitor<Blocks> {
 public:
  Blocks(const SourceManager& sources, std::vector<Event>& events) : sources_(sources), events_(events) {}

  bool VisitCompoundStmt(CompoundStmt* block) { return add(block->getLBracLoc(), block->getRBracLoc()); }
  bool VisitTagDecl(TagDecl* type) {
    return add(type->getBraceRange().getBegin(), type->getBraceRange().getEnd());
  }
  bool VisitNamespaceDecl(NamespaceDecl* space) { return add(space->getBeginLoc(), space->getRBraceLoc()); }

 private:
  bool add(SourceLocation opens, SourceLocation closes) {
    if (opens.isInvalid() || closes.isInvalid()) return true;
    events_.push_back({Event::opens, sources_.getExpansionLoc(opens), {}});
    events_.push_back({Event::closes, sources_.getExpansionLoc(closes), {}});
    return true;
  }

  const SourceManager& sources_;
  std::vector<Event>& events_;
};

class PragmasReader : public ASTConsumer {
 public:
  explicit PragmasReader(std::vector<RestrictedRange>& ranges) : ranges_(ranges) {}

  std::vector<Event>& pragmas() { return events_; }

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl* one : group)
      if (!one->isFromASTFile()) declarations_.push_back(one);  // what was read ahead is none of the text
    return true;
  }
  void HandleTranslationUnit(ASTContext& context) override {
    if (events_.empty()) return;
    const SourceManager& sources = context.getSourceManager();
    Blocks blocks(sources, events_);
    for (Decl* one : declarations_) blocks.TraverseDecl(one);
    std::stable_sort(events_.begin(), events_.end(), [&](const Event& a, const Event& b) {
      return sources.isBeforeInTranslationUnit(a.at, b.at);
    });
    std::vector<RestrictedRange> open(1);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      if (event.kind == Event::opens) open.push_back(open.back());
      if (event.kind == Event::closes && open.size() > 1) open.pop_back();
      RestrictedRange& now = open.back();
      now.contract = event.said.contract.value_or(now.contract);
      now.reassociate = event.said.reassociate.value_or(now.reassociate);
      if (now.contract && now.reassociate) continue;
      add(now, sources.getPresumedLoc(event.at),
          i + 1 < events_.size() ? sources.getPresumedLoc(events_[i + 1].at) : PresumedLoc());
    }
  }

 private:
  void add(RestrictedRange range, PresumedLoc from, PresumedLoc to) {
    if (from.isInvalid()) return;
    range.file = from.getFilename();
    range.line = from.getLine();
    range.column = from.getColumn();
    const bool ends_there = to.isValid() && range.file == to.getFilename();
    range.end_line = ends_there ? to.getLine() : std::numeric_limits<unsigned>::max();
    range.end_column = ends_there ? to.getColumn() : 0;
    ranges_.push_back(std::move(range));
  }

  std::vector<RestrictedRange>& ranges_;
  std::vector<Event> events_;
  std::vector<Decl*> declarations_;
};

}  // namespace

std::unique_ptr<ASTConsumer> arithmetic_pragmas(Preprocessor& preprocessor,
                                                std::vector<RestrictedRange>& ranges) {
  auto reader = std::make_unique<PragmasReader>(ranges);
  preprocessor.AddPragmaHandler("METAL", new Handler(reader->pragmas()));
  return reader;
}

void note_ranges(llvm::Module& module, const std::vector<RestrictedRange>& ranges) {
  std::vector<TextNote> notes;
  for (const RestrictedRange& one : ranges)
    notes.push_back({one.file,
                     {one.line, one.column, one.end_line, one.end_column, unsigned(one.contract),
                      unsigned(one.reassociate)}});
  write_text_notes(module, kRestrictedRanges, notes);
}

}  // namespace assay::metal
