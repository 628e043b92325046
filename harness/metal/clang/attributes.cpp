#include "harness/metal/clang/attributes.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Expr.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Sema/Lookup.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>

#include <algorithm>
#include <vector>

#include "harness/metal/clang/function_constants.hpp"

namespace assay::metal {
namespace {

using namespace clang;

constexpr const char* kOfFunctions[] = {"kernel_function", "host_name", "max_total_threads_per_threadgroup"};
constexpr const char* kOfParameters[] = {
    "buffer", "texture", "sampler", "threadgroup_memory", "thread_position_in_grid",
    "thread_position_in_threadgroup", "threadgroup_position_in_grid", "threads_per_threadgroup",
    "threadgroups_per_grid", "threads_per_grid", "dispatch_threads_per_threadgroup",
    "thread_index_in_threadgroup", "thread_index_in_simdgroup", "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup", "dispatch_simdgroups_per_threadgroup", "threads_per_simdgroup",
    "thread_execution_width", "thread_index_in_quadgroup", "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup", "dispatch_quadgroups_per_threadgroup", "grid_origin",
    // Of other stages, and of other kinds of kernels.
    "stage_in", "position", "vertex_id", "instance_id", "base_vertex", "base_instance", "payload", "patch_id",
    "position_in_patch", "color", "front_facing", "grid_size", "stage_in_grid_size", "stage_in_grid_origin",
    "imageblock_data"};
constexpr std::size_t kSupported = 23;  // the first of them

FunctionConstants* constants = nullptr;  // of the text that is read

class MetalAttribute : public ParsedAttrInfo {
 public:
  MetalAttribute() {
    OptArgs = 15;  // as many as there is room for
    for (const char* name : kOfFunctions) spellings_.push_back({ParsedAttr::AS_CXX11, name});
    for (const char* name : kOfParameters) spellings_.push_back({ParsedAttr::AS_CXX11, name});
    spellings_.push_back({ParsedAttr::AS_CXX11, "id"});
    spellings_.push_back({ParsedAttr::AS_CXX11, "function_constant"});
    Spellings = spellings_;
  }

  bool diagAppertainsToDecl(Sema&, const ParsedAttr&, const Decl*) const override { return true; }

  AttrHandling handleDeclAttribute(Sema& sema, Decl* declaration, const ParsedAttr& parsed) const override {
    if (constants == nullptr) return AttributeNotApplied;
    const auto name = parsed.getAttrName()->getName();
    llvm::SmallVector<Expr*, 1> arguments;
    for (unsigned i = 0; i < parsed.getNumArgs(); ++i) {
      Expr* const argument = value(sema, parsed, i);
      if (argument == nullptr) return AttributeNotApplied;  // clang has said why
      arguments.push_back(argument);
    }
    const bool condition = name == "function_constant" && isa<ParmVarDecl>(declaration);
    if (condition && !arguments.empty()) arguments[0] = answer(sema, arguments[0]);
    auto* const annotation = AnnotateAttr::Create(sema.Context, name, arguments.data(),
                                                  static_cast<unsigned>(arguments.size()), parsed.getRange());
    if (!sema.ConstantFoldAttrArgs(*annotation, {annotation->args_begin(), annotation->args_size()}))
      return AttributeNotApplied;
    declaration->addAttr(annotation);
    auto* const variable = dyn_cast<VarDecl>(declaration);
    if (name == "function_constant" && !condition && variable != nullptr)
      declare(sema, *variable, *annotation);
    return AttributeApplied;
  }

 private:
  // An argument that is one word has not been looked up.
  static Expr* value(Sema& sema, const ParsedAttr& parsed, unsigned i) {
    if (parsed.isArgExpr(i)) return parsed.getArgAsExpr(i);
    const IdentifierLoc* const word = parsed.getArgAsIdent(i);
    LookupResult found(sema, word->Ident, word->Loc, Sema::LookupOrdinaryName);
    if (!sema.LookupName(found, sema.getCurScope())) {
      sema.Diag(word->Loc, diag::err_undeclared_var_use) << word->Ident;
      return nullptr;
    }
    const ExprResult named = sema.BuildDeclarationNameExpr(CXXScopeSpec(), found, false);
    return named.isUsable() ? named.get() : nullptr;
  }

  // Is the parameter there? A constant without a value says no.
  static Expr* answer(Sema& sema, Expr* condition) {
    const auto* const named = dyn_cast<DeclRefExpr>(condition->IgnoreParenImpCasts());
    const auto* const variable = named == nullptr ? nullptr : dyn_cast<VarDecl>(named->getDecl());
    if (variable == nullptr || !constants->is_unset(*variable)) return condition;
    return IntegerLiteral::Create(sema.Context, llvm::APInt(32, 0), sema.Context.IntTy,
                                  condition->getBeginLoc());
  }

  static void declare(Sema& sema, VarDecl& variable, const AnnotateAttr& annotation) {
    const auto index = number_of(annotation, sema.Context);
    if (index && *index >= 0 && *index <= 0xFFFF)
      return constants->declare(sema, variable, static_cast<std::uint32_t>(*index));
    const auto what = sema.Diags.getCustomDiagID(DiagnosticsEngine::Error,
                                                 "`%0`: a function constant has an index from 0 to 65535");
    sema.Diag(annotation.getLocation(), what) << variable.getName();
  }

  std::vector<Spelling> spellings_;
};

// Of the reading as OpenCL, which has variables of that space in kernels alone.
std::vector<VarDecl*>* local_variables = nullptr;

class LocalAttribute : public ParsedAttrInfo {
 public:
  LocalAttribute() {
    static constexpr Spelling kSpelling = {ParsedAttr::AS_GNU, "assay_local"};
    Spellings = kSpelling;
  }
  bool diagAppertainsToDecl(Sema&, const ParsedAttr&, const Decl*) const override { return true; }
  AttrHandling handleDeclAttribute(Sema&, Decl* declaration, const ParsedAttr&) const override {
    auto* const variable = dyn_cast<VarDecl>(declaration);
    if (variable != nullptr && local_variables != nullptr) local_variables->push_back(variable);
    return AttributeApplied;
  }
};

const ParsedAttrInfoRegistry::Add<MetalAttribute> kMetal("metal", "attributes of Metal");
const ParsedAttrInfoRegistry::Add<LocalAttribute> kLocal("local", "variables in threadgroup memory");

}  // namespace

void take_attributes(FunctionConstants* of_text) { constants = of_text; }
void take_local_variables(std::vector<VarDecl*>* variables) { local_variables = variables; }

const AnnotateAttr* annotation_of(const Decl& declaration, llvm::StringRef name) {
  for (const auto* one : declaration.specific_attrs<AnnotateAttr>()) {
    if (one->getAnnotation() == name) return one;
  }
  return nullptr;
}

std::optional<std::int64_t> number_of(const AnnotateAttr& annotation, const ASTContext& context) {
  if (annotation.args_size() == 0) return std::nullopt;
  const Expr* const argument = *annotation.args_begin();
  if (argument->isValueDependent()) return std::nullopt;
  Expr::EvalResult result;
  if (!argument->EvaluateAsInt(result, context)) return std::nullopt;
  return result.Val.getInt().getExtValue();
}

std::string text_of(const AnnotateAttr& annotation) {
  if (annotation.args_size() == 0) return "";
  const Expr* argument = *annotation.args_begin();
  if (const auto* folded = dyn_cast<ConstantExpr>(argument)) argument = folded->getSubExpr();
  const auto* const text = dyn_cast<StringLiteral>(argument->IgnoreParenImpCasts());
  return text == nullptr ? "" : text->getString().str();
}

const AnnotateAttr* meaning_of(const ParmVarDecl& parameter) {
  for (const char* name : kOfParameters) {
    if (const auto* found = annotation_of(parameter, name)) return found;
  }
  return nullptr;
}

namespace {

bool is_written_in(const ASTContext& context, SourceRange range, llvm::StringRef word) {
  const SourceManager& sources = context.getSourceManager();
  const auto text = Lexer::getSourceText(sources.getExpansionRange(range), sources, context.getLangOpts());
  for (std::size_t at = text.find(word); at != llvm::StringRef::npos; at = text.find(word, at + 1)) {
    const auto is_part = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    const std::size_t behind = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (behind == text.size() || !is_part(text[behind]))) return true;
  }
  return false;
}

}  // namespace

bool has_word(const DeclaratorDecl& declared, llvm::StringRef word) {
  if (annotation_of(declared, word) != nullptr) return true;
  const ASTContext& context = declared.getASTContext();
  const auto* const parameter = dyn_cast<ParmVarDecl>(&declared);
  QualType type = parameter != nullptr ? parameter->getOriginalType() : declared.getType();
  for (;;) {
    const TypedefNameDecl* named = nullptr;
    if (const auto* alias = type->getAs<TypedefType>()) {
      named = alias->getDecl();
    } else if (const auto* made = type->getAs<TemplateSpecializationType>();
               made != nullptr && made->isTypeAlias()) {
      named = cast<TypeAliasTemplateDecl>(made->getTemplateName().getAsTemplateDecl())->getTemplatedDecl();
    }
    if (named == nullptr) return false;
    if (annotation_of(*named, word) != nullptr || is_written_in(context, named->getSourceRange(), word))
      return true;
    const QualType next = type.getSingleStepDesugaredType(context);
    if (next == type) return false;
    type = next;
  }
}

bool is_of_parameters(llvm::StringRef name) {
  if (name == "id" || name == "function_constant") return true;
  return std::find(std::begin(kOfParameters), std::end(kOfParameters), name) != std::end(kOfParameters);
}

bool is_supported(llvm::StringRef name) {
  const auto* const end = std::begin(kOfParameters) + kSupported;
  return std::find(std::begin(kOfParameters), end, name) != end;
}

}  // namespace assay::metal
