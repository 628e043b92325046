#include "harness/metal/clang/kernels.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

bool is_kernel(const FunctionDecl& function) { return annotation_of(function, "kernel_function") != nullptr; }

std::string host_name_of(const FunctionDecl& function) {
  const AnnotateAttr* const named = annotation_of(function, "host_name");
  return named == nullptr ? function.getQualifiedNameAsString() : text_of(*named);
}

std::string max_threads_of(const FunctionDecl& function) {
  const AnnotateAttr* const limit = annotation_of(function, "max_total_threads_per_threadgroup");
  const auto number = limit == nullptr ? std::nullopt : number_of(*limit, function.getASTContext());
  return number ? std::to_string(*number) : "";
}

// Of the literals "a" "b": ab.
std::string joined(llvm::StringRef literals) {
  std::string all;
  bool inside = false;
  for (const char c : literals) {
    if (c == '"') inside = !inside;
    if (c != '"' && inside) all += c;
  }
  return all;
}

class Listener : public ASTConsumer {
 public:
  explicit Listener(LeftOut& left_out) : left_out_(left_out) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (const Decl* one : group) {
      const auto* const function = dyn_cast<FunctionDecl>(one);
      if (function == nullptr || left_out_.ahead.isInvalid() ||
          function->getTemplateSpecializationKind() != TSK_ExplicitInstantiationDefinition)
        continue;
      left_out_.lists[function] = std::exchange(left_out_.ahead, SourceLocation());
    }
    return true;
  }

 private:
  LeftOut& left_out_;
};

}  // namespace

std::unique_ptr<ASTConsumer> instantiation_listener(LeftOut& left_out) {
  return std::make_unique<Listener>(left_out);
}

std::string argument_in(llvm::StringRef list, llvm::StringRef word, const LangOptions& language) {
  Lexer lexer(SourceLocation(), language, list.begin(), list.begin(), list.end());
  Token token;
  token.startToken();
  int depth = 0;
  bool named = false;
  const char* begin = nullptr;
  for (bool more = true; more && !token.isOneOf(tok::eof, tok::semi, tok::l_brace);) {
    more = !lexer.LexFromRawLexer(token);
    const char* const at = lexer.getBufferLocation() - token.getLength();
    if (token.is(tok::raw_identifier) && depth == 0) named = token.getRawIdentifier() == word;
    if (token.is(tok::l_paren) && depth++ == 0 && named) begin = at + 1;
    if (token.is(tok::r_paren) && --depth == 0 && begin != nullptr) return std::string(begin, at);
  }
  return "";
}

Kernels::Kernels(const ASTContext& context, const LeftOut& left_out, std::vector<Diagnostic>& errors)
    : context_(context), left_out_(left_out), errors_(errors) {
  read(*context.getTranslationUnitDecl());
}

void Kernels::read(const DeclContext& scope) {
  for (const Decl* one : scope.noload_decls()) {
    if (one->isFromASTFile()) continue;
    if (const auto* function = dyn_cast<FunctionDecl>(one)) {
      read_function(*function);
    } else if (const auto* made = dyn_cast<FunctionTemplateDecl>(one)) {
      read_template(*made);
    } else if (isa<NamespaceDecl>(one) || isa<LinkageSpecDecl>(one)) {
      read(*cast<DeclContext>(one));
    }
  }
}

// `kernel [[host_name("x")]] void f()`, which clang takes, since the word is an attribute to it.
void Kernels::refuse_lists_behind_the_word(const FunctionDecl& function) {
  const SourceManager& sources = context_.getSourceManager();
  const AnnotateAttr* const word = annotation_of(function, "kernel_function");
  if (!word->getLocation().isMacroID()) return;
  const SourceLocation kernel = sources.getExpansionLoc(word->getLocation());
  for (const char* name : {"host_name", "max_total_threads_per_threadgroup"}) {
    const AnnotateAttr* const one = annotation_of(function, name);
    if (one == nullptr) continue;
    const SourceLocation at = sources.getExpansionLoc(one->getLocation());
    const bool behind_the_name = sources.isBeforeInTranslationUnit(function.getLocation(), at);
    if (!sources.isBeforeInTranslationUnit(kernel, at) || behind_the_name) continue;
    errors_.push_back(
        {place_of(sources, at), "an attribute list cannot appear here: it stands before `kernel`", {}});
  }
}

void Kernels::read_function(const FunctionDecl& function) {
  if (!is_kernel(function) || !function.isThisDeclarationADefinition() || function.isDependentContext())
    return;
  refuse_lists_behind_the_word(function);
  all_.push_back({&function, host_name_of(function), max_threads_of(function)});
}

void Kernels::read_template(const FunctionTemplateDecl& made) {
  if (!is_kernel(*made.getTemplatedDecl()) || !made.isThisDeclarationADefinition()) return;
  refuse_lists_behind_the_word(*made.getTemplatedDecl());
  for (const FunctionDecl* one : made.specializations()) {
    if (one->getTemplateSpecializationKind() != TSK_ExplicitInstantiationDefinition) continue;
    const llvm::StringRef list = ahead_of(*one);
    const LangOptions& language = context_.getLangOpts();
    const std::string threads = argument_in(list, "max_total_threads_per_threadgroup", language);
    const std::string name = joined(argument_in(list, "host_name", language));
    if (!name.empty()) all_.push_back({one, name, threads.empty() ? max_threads_of(*one) : threads});
  }
}

// From the attribute lists ahead of an instantiation on.
llvm::StringRef Kernels::ahead_of(const FunctionDecl& instantiation) const {
  const auto found = left_out_.lists.find(&instantiation);
  if (found == left_out_.lists.end()) return "";
  const SourceManager& sources = context_.getSourceManager();
  const SourceLocation at = sources.getExpansionLoc(found->second);
  return sources.getBufferData(sources.getFileID(at)).drop_front(sources.getFileOffset(at));
}

const Kernel* Kernels::chosen(const std::string& name) const {
  const Kernel* found = nullptr;
  for (const Kernel& one : all_) {
    const bool is_template = one.function->getTemplateInstantiationPattern() != nullptr;
    const bool exactly =
        one.host_name == name || (!is_template && one.function->getQualifiedNameAsString() == name);
    if (exactly) return &one;
    if (!is_template && one.function->getNameAsString() == name) found = &one;
  }
  // Lowering has refused what nobody has: what stands here is unlike what it has read.
  if (found == nullptr && errors_.empty()) errors_.push_back({{}, "no kernel function `" + name + "`", {}});
  return found;
}

}  // namespace assay::metal
