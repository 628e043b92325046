#include "harness/metal/clang/vector_types.hpp"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <string>

#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

class VectorTypesVisitor : public RecursiveASTVisitor<VectorTypesVisitor> {
 public:
  VectorTypesVisitor(ASTContext& context, Edits& edits, std::vector<Diagnostic>& errors)
      : context_(context), edits_(edits), errors_(errors) {}

  bool VisitTypedefNameDecl(TypedefNameDecl* one) {
    const std::string type = library_type(written_type(one->getTypeSourceInfo()));
    if (type.empty()) return true;
    const std::string name = one->getNameAsString();
    const bool alias = isa<TypeAliasDecl>(one);
    replace(one->getBeginLoc(), end_of(one->getLocation(), ";"),
            alias ? "using " + name + " = " + type : "typedef " + type + " " + name);
    return true;
  }
  // The words of the type stand right before the attribute.
  bool VisitDeclaratorDecl(DeclaratorDecl* one) {
    if (isa<FunctionDecl>(one)) return true;
    const std::string type = library_type(written_type(one->getTypeSourceInfo()));
    if (type.empty()) return true;
    const SourceManager& sources = context_.getSourceManager();
    const SourceLocation begin = sources.getExpansionLoc(one->getOuterLocStart());
    const auto [file, first] = sources.getDecomposedLoc(begin);
    const auto text = sources.getBufferData(file);
    const std::size_t attribute = text.find("__attribute", first);
    const auto [same, name] = sources.getDecomposedLoc(sources.getExpansionLoc(one->getLocation()));
    if (attribute >= name || file != same) return refuse(*one);
    const llvm::StringRef before = text.slice(first, attribute).rtrim();
    std::size_t size = 0;
    while (size < before.size() &&
           (llvm::isAlnum(before[before.size() - 1 - size]) || before[before.size() - 1 - size] == '_' ||
            before[before.size() - 1 - size] == ':'))
      ++size;
    const SourceLocation of_file = sources.getLocForStartOfFile(file);
    const std::size_t end = text.find("))", text.find("ext_vector_type", attribute));
    if (size == 0 || end >= name) return refuse(*one);
    std::size_t behind = end + 2;
    while (behind < name && text[behind] == ')') ++behind;
    replace(of_file.getLocWithOffset(static_cast<int>(first + before.size() - size)),
            of_file.getLocWithOffset(static_cast<int>(behind)), type);
    return true;
  }

 private:
  static QualType written_type(const TypeSourceInfo* written) {
    return written == nullptr ? QualType() : written->getType();
  }

  // `metal::vec<half, 4>` of what is written as a vector here; "" of the name of one, and of anything else.
  std::string library_type(QualType type) const {
    while (!type.isNull()) {
      PrintingPolicy policy = context_.getPrintingPolicy();
      if (const auto* made = dyn_cast<ExtVectorType>(type.getTypePtr()))
        return "metal::vec<" + made->getElementType().getAsString(policy) + ", " +
               std::to_string(made->getNumElements()) + ">";
      if (const auto* open = dyn_cast<DependentSizedExtVectorType>(type.getTypePtr())) {
        std::string size;
        llvm::raw_string_ostream out(size);
        open->getSizeExpr()->printPretty(out, nullptr, policy);
        return "metal::vec<" + open->getElementType().getAsString(policy) + ", " + size + ">";
      }
      const auto* const attributed = dyn_cast<AttributedType>(type.getTypePtr());
      if (attributed == nullptr) return "";
      type = attributed->getModifiedType();
    }
    return "";
  }

  SourceLocation end_of(SourceLocation name, const char* stop) const {
    const SourceManager& sources = context_.getSourceManager();
    const auto [file, at] = sources.getDecomposedLoc(sources.getExpansionLoc(name));
    const std::size_t end = sources.getBufferData(file).find(stop, at);
    return sources.getLocForStartOfFile(file).getLocWithOffset(
        static_cast<int>(std::min(end, sources.getBufferData(file).size())));
  }

  void replace(SourceLocation begin, SourceLocation end, const std::string& words) {
    const SourceManager& sources = context_.getSourceManager();
    edits_.replace(sources, CharSourceRange::getCharRange(sources.getExpansionLoc(begin), end), words);
  }

  bool refuse(const Decl& one) {
    errors_.push_back(
        {place_of(one),
         "assay: `ext_vector_type` is supported only behind a type, in `typedef` and in `using`",
         {}});
    return true;
  }

  ASTContext& context_;
  Edits& edits_;
  std::vector<Diagnostic>& errors_;
};

}  // namespace

std::unique_ptr<ASTConsumer> vector_types(Edits& edits, std::vector<Diagnostic>& errors) {
  return for_each_declaration(
      [&](Sema& sema, Decl& one) { VectorTypesVisitor(sema.Context, edits, errors).TraverseDecl(&one); });
}

}  // namespace assay::metal
