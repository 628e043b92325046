#include "harness/metal/clang/parameters.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/shapes.hpp"
#include "harness/metal/clang/used_code.hpp"

namespace assay::metal {
namespace {

using namespace clang;

// What a kernel's body does with its parameters.
class UsesOfParameters : public RecursiveASTVisitor<UsesOfParameters> {
 public:
  struct Use {
    unsigned components = 0;  // up to the last that is looked at
    bool indexed = false;
  };

  explicit UsesOfParameters(const FunctionDecl& kernel) { TraverseStmt(kernel.getBody()); }
  Use of(const ParmVarDecl& one) const {
    const auto known = all_.find(&one);
    return known == all_.end() ? Use() : known->second;
  }

  // A word says which components; on the way through it the vector is not looked at as a whole.
  bool TraverseMSPropertyRefExpr(MSPropertyRefExpr* one) {
    return is_part(one) || RecursiveASTVisitor::TraverseMSPropertyRefExpr(one);
  }
  bool TraverseMemberExpr(MemberExpr* one) {
    return is_part(one) || RecursiveASTVisitor::TraverseMemberExpr(one);
  }
  bool TraversePseudoObjectExpr(PseudoObjectExpr* one) { return TraverseStmt(one->getSyntacticForm()); }
  bool VisitDeclRefExpr(DeclRefExpr* one) {
    if (const auto* whole = dyn_cast<ParmVarDecl>(one->getDecl())) look(*whole, ~0U);
    return true;
  }

  // `x[i]` and `x + i`: there are several, unless i is 0.
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* one) {
    const auto* const zero = dyn_cast<IntegerLiteral>(bare(one->getIdx()));
    if (zero == nullptr || zero->getValue() != 0) index(one->getBase());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* one) {
    if (one->getOpcode() == BO_Add && one->getType()->isPointerType()) index(one->getLHS());
    return true;
  }

 private:
  bool is_part(const Expr* one) {
    const Components part = components_in(one);
    const auto* const vector =
        part.vector == nullptr ? nullptr : dyn_cast_or_null<ParmVarDecl>(variable_in(part.vector));
    if (vector == nullptr || !part.last()) return false;
    look(*vector, *part.last() + 1);
    return true;
  }
  void look(const ParmVarDecl& one, unsigned components) {
    Use& use = all_[&one];
    use.components = std::max(use.components, components);
  }
  void index(const Expr* base) {
    if (const auto* parameter = dyn_cast_or_null<ParmVarDecl>(variable_in(base)))
      all_[parameter].indexed = true;
  }

  std::map<const ParmVarDecl*, Use> all_;
};

// The words of parameters' types, in the order of the text: what stands before the name, without attributes.
class WrittenTypes {
 public:
  WrittenTypes(const ASTContext& context, const FunctionDecl& kernel)
      : sources_(context.getSourceManager()), kernel_(kernel) {
    const auto [file, at] = sources_.getDecomposedLoc(sources_.getExpansionLoc(kernel.getLocation()));
    const llvm::StringRef text = sources_.getBufferData(file);
    Lexer lexer(SourceLocation(), context.getLangOpts(), text.begin(), text.begin() + at, text.end());
    read(lexer, text);
  }

  std::string of(unsigned parameter) const { return parameter < all_.size() ? all_[parameter] : ""; }

 private:
  void read(Lexer& lexer, llvm::StringRef text) {
    Token token;
    token.startToken();
    do lexer.LexFromRawLexer(token);
    while (token.isNot(tok::l_paren) && token.isNot(tok::eof));
    unsigned round = 0, square = 0;
    bool named = false, coherent = false;
    std::string words;
    const auto name_at = [&](std::size_t i) {
      if (i >= kernel_.getNumParams() || kernel_.getParamDecl(i)->getName().empty()) return text.size();
      return std::size_t{
          sources_.getFileOffset(sources_.getExpansionLoc(kernel_.getParamDecl(i)->getLocation()))};
    };
    for (bool last = false; !last && token.isNot(tok::eof);) {
      last = lexer.LexFromRawLexer(token);
      const std::size_t at =
          static_cast<std::size_t>(lexer.getBufferLocation() - text.begin()) - token.getLength();
      const llvm::StringRef word = text.substr(at, token.getLength());
      const bool next =
          token.is(tok::comma) && round + square == 0 && (named || at > end_of(all_.size(), text));
      if (next || (token.is(tok::r_paren) && round == 0)) {
        all_.push_back(words);
        words.clear();
        named = coherent = false;
        if (!next) return;
        continue;
      }
      named |= at == name_at(all_.size());
      if (token.is(tok::l_square)) ++square;
      if (!named && !coherent && square == 0 && word != "coherent")
        words += (words.empty() || word == "*" || word == "&" ? "" : " ") + word.str();
      if (token.is(tok::r_square) && square > 0) --square;
      if (word == "coherent") coherent = true;
      if (token.is(tok::l_paren)) ++round;
      if (token.is(tok::r_paren)) {
        --round;
        coherent = false;
      }
    }
  }

  // Its last word, where it has no name: commas ahead of it belong to the lists of templates.
  std::size_t end_of(std::size_t i, llvm::StringRef text) const {
    if (i >= kernel_.getNumParams()) return text.size();
    return sources_.getFileOffset(
        sources_.getExpansionLoc(kernel_.getParamDecl(static_cast<unsigned>(i))->getEndLoc()));
  }

  const SourceManager& sources_;
  const FunctionDecl& kernel_;
  std::vector<std::string> all_;
};

bool holds_pointers(const ASTContext& context, QualType type) {
  type = type.getCanonicalType();
  if (const auto* array = context.getAsArrayType(type))
    return holds_pointers(context, array->getElementType());
  const auto* const record = type->getAsCXXRecordDecl();
  if (record == nullptr || !record->hasDefinition()) return type->isPointerType() || type->isReferenceType();
  return library_name(type).empty() && llvm::any_of(record->fields(), [&](const FieldDecl* one) {
           return holds_pointers(context, one->getType());
         });
}

}  // namespace

std::string name_of(const ParmVarDecl& parameter) {
  return parameter.getName().empty() ? "parameter " + std::to_string(parameter.getFunctionScopeIndex() + 1)
                                     : parameter.getNameAsString();
}

std::vector<OutlinedParameter> outlined_parameters(const ASTContext& context, const FunctionDecl& kernel) {
  const UsesOfParameters uses(kernel);
  const WrittenTypes written(context, kernel);
  std::vector<OutlinedParameter> all;
  for (const ParmVarDecl* one : kernel.parameters()) {
    OutlinedParameter read;
    const QualType type = one->getType().getCanonicalType();
    const AnnotateAttr* const meaning = meaning_of(*one);
    read.name = name_of(*one);
    read.named = !one->getName().empty();
    read.written = written.of(one->getFunctionScopeIndex());
    if (meaning != nullptr)
      read.attribute =
          meaning->getAnnotation() == "threadgroup_memory" ? "threadgroup" : meaning->getAnnotation().str();
    read.reference = type->isReferenceType();
    read.pointer = type->isPointerType() || read.reference;
    read.constant = has_word(*one, "constant");
    read.threadgroup = has_word(*one, "threadgroup");
    read.line = place_of(*one).line;
    read.components = static_cast<unsigned>(components_of(type));
    const UsesOfParameters::Use use = uses.of(*one);
    read.used_components = std::min(use.components, read.components);
    read.indexed = use.indexed;
    if (read.pointer) {
      const QualType to = type->getPointeeType();
      read.read_only = read.constant || to.isConstQualified();
      read.atomic = library_name(to) == "_atomic";
      const auto element = element_of_open_array(context, to);
      read.open_array = element.has_value();
      read.shape = shape_of(context, element.value_or(to));
      read.pointers = holds_pointers(context, to);
    }
    all.push_back(std::move(read));
  }
  return all;
}

}  // namespace assay::metal
