#include "harness/metal/clang/apple_functions.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <map>
#include <string>

#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

// What stands in for the function with that label, by the label's words ahead of its types; "" if nothing
// does.
llvm::StringRef stand_in(llvm::StringRef label) {
  for (const llvm::StringRef name :
       {"simdgroup_async_copy_1d", "simdgroup_async_copy_2d", "wait_simdgroup_events"}) {
    llvm::StringRef rest = label;
    if (rest.consume_front("air.") && rest.consume_front(name) && (rest.empty() || rest.starts_with(".")))
      return name;
  }
  return "";
}

class FunctionsVisitor : public RecursiveASTVisitor<FunctionsVisitor> {
 public:
  FunctionsVisitor(ASTContext& context, std::map<std::string, llvm::StringRef>& replaced, Edits& edits)
      : context_(context), replaced_(replaced), edits_(edits) {}

  bool VisitFunctionDecl(FunctionDecl* one) {
    const auto* const label = one->getAttr<AsmLabelAttr>();
    if (label == nullptr || label->isImplicit() || one->hasBody()) return true;
    const llvm::StringRef kind = stand_in(label->getLabel());
    const std::string name = one->getNameAsString();
    const auto [known, first] = replaced_.try_emplace(name, kind);
    if (!kind.empty() && known->second == kind) {
      edits_.replace(context_.getSourceManager(), whole(*one, label->getLocation()),
                     first ? "constant constexpr assay_msl::" + kind.str() + " " + name + "{};" : "");
      return true;
    }
    const std::string why =
        "assay: `" + label->getLabel().str() + "`: functions of Apple's compiler are not supported";
    one->dropAttr<AsmLabelAttr>();
    one->addAttr(ErrorAttr::CreateImplicit(context_, why, {}, ErrorAttr::GNU_error));
    return true;
  }

 private:
  // From its first word to its ";", behind the label.
  CharSourceRange whole(const FunctionDecl& one, SourceLocation label) const {
    const SourceManager& sources = context_.getSourceManager();
    const SourceLocation begin = sources.getExpansionLoc(one.getOuterLocStart());
    const auto [file, at] = sources.getDecomposedLoc(sources.getExpansionLoc(label));
    const std::size_t end = sources.getBufferData(file).find(';', at);
    if (end == llvm::StringRef::npos) return CharSourceRange::getCharRange(begin, begin);
    return CharSourceRange::getCharRange(
        begin, sources.getLocForStartOfFile(file).getLocWithOffset(static_cast<int>(end) + 1));
  }

  ASTContext& context_;
  std::map<std::string, llvm::StringRef>& replaced_;
  Edits& edits_;
};

}  // namespace

std::unique_ptr<ASTConsumer> apple_functions(Edits& edits) {
  return for_each_declaration(
      [&edits, replaced = std::map<std::string, llvm::StringRef>()](Sema& sema, Decl& one) mutable {
        FunctionsVisitor(sema.Context, replaced, edits).TraverseDecl(&one);
      });
}

}  // namespace assay::metal
