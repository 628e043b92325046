#include "harness/metal/clang/loops.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include "harness/metal/clang/debug_places.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class Calls : public RecursiveASTVisitor<Calls> {
 public:
  static unsigned within(Stmt* one) {
    Calls calls;
    calls.TraverseStmt(one);
    return calls.count_;
  }
  bool VisitCallExpr(CallExpr* call) {
    if (!isa<CXXOperatorCallExpr>(call) && !called_name(*call).starts_with("atomic_load")) ++count_;
    return true;
  }

 private:
  unsigned count_ = 0;
};

class LoopsVisitor : public RecursiveASTVisitor<LoopsVisitor> {
 public:
  LoopsVisitor(const SourceManager& sources, std::vector<WrittenLoop>& found)
      : sources_(sources), found_(found) {}

  bool VisitForStmt(ForStmt* one) { return add(*one); }
  bool VisitWhileStmt(WhileStmt* one) { return add(*one); }
  bool VisitDoStmt(DoStmt* one) { return add(*one); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* one) { return add(*one); }

 private:
  bool add(Stmt& one) {
    found_.push_back({place_of(sources_, one.getBeginLoc()), place_of(sources_, one.getEndLoc()).line,
                      Calls::within(&one) <= 1});
    return true;
  }

  const SourceManager& sources_;
  std::vector<WrittenLoop>& found_;
};

}  // namespace

std::unique_ptr<ASTConsumer> loops_reader(std::vector<WrittenLoop>& found) {
  return for_each_declaration(
      [&found](Sema& sema, Decl& one) { LoopsVisitor(sema.getSourceManager(), found).TraverseDecl(&one); });
}

void note_loops(llvm::Module& module, const std::vector<WrittenLoop>& loops) {
  std::vector<TextNote> notes;
  for (const WrittenLoop& one : loops)
    notes.push_back({one.place.file, {one.place.line, one.last_line, unsigned(one.calls_at_most_one)}});
  write_text_notes(module, kTextLoops, notes);
}

}  // namespace assay::metal
