#include "harness/metal/clang/kernels.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

#include <set>

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

template <class See>
void for_each_template(const DeclContext& scope, See see) {
  for (Decl* one : scope.noload_decls()) {
    if (one->isFromASTFile()) continue;
    if (auto* made = dyn_cast<FunctionTemplateDecl>(one)) {
      see(*made);
    } else if (isa<NamespaceDecl>(one) || isa<LinkageSpecDecl>(one)) {
      for_each_template(*cast<DeclContext>(one), see);
    }
  }
}

}  // namespace

void make_when_used(Sema& sema) {
  for_each_template(*sema.Context.getTranslationUnitDecl(), [&](FunctionTemplateDecl& made) {
    for (FunctionDecl* one : made.specializations()) {
      if (one->getTemplateSpecializationKind() != TSK_ExplicitInstantiationDeclaration) continue;
      one->setTemplateSpecializationKind(TSK_ImplicitInstantiation);
      if (one->isUsed(false)) {
        sema.PendingInstantiations.emplace_back(one, one->getPointOfInstantiation());
      } else if (auto* const made_so = one->getTemplateSpecializationInfo()) {
        made_so->setPointOfInstantiation(SourceLocation());
      }
    }
  });
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
  templates_.push_back(made.getNameAsString());
  for (const FunctionDecl* one : made.specializations()) {
    const SourceLocation list = list_of(*one);
    if (list.isInvalid()) continue;
    const LangOptions& language = context_.getLangOpts();
    const std::string threads = argument_in(text_from(list), "max_total_threads_per_threadgroup", language);
    const std::string name = joined(argument_in(text_from(list), "host_name", language));
    if (!name.empty()) all_.push_back({one, name, threads.empty() ? max_threads_of(*one) : threads});
  }
}

SourceLocation Kernels::list_of(const FunctionDecl& kernel) const {
  const SourceManager& sources = context_.getSourceManager();
  const SourceLocation at = kernel.getPointOfInstantiation();
  if (kernel.getTemplateInstantiationPattern() == nullptr || at.isInvalid()) return {};
  const unsigned place = sources.getFileOffset(sources.getExpansionLoc(at));
  for (const SourceLocation list : llvm::reverse(left_out_.ahead)) {
    const unsigned begin = sources.getFileOffset(sources.getExpansionLoc(list));
    if (begin > place) continue;
    const auto between = sources.getBufferData(sources.getMainFileID()).slice(begin, place);
    return between.contains(';') ? SourceLocation() : list;
  }
  return {};
}

std::vector<std::string> Kernels::names() const {
  std::vector<std::string> all;
  for (const Kernel& one : all_)
    if (one.function->getTemplateInstantiationPattern() == nullptr) all.push_back(one.host_name);
  for (const SourceLocation list : left_out_.ahead) {
    const std::string name = joined(argument_in(text_from(list), "host_name", context_.getLangOpts()));
    if (!name.empty()) all.push_back(name);
  }
  return all;
}

llvm::StringRef Kernels::text_from(SourceLocation at) const {
  const SourceManager& sources = context_.getSourceManager();
  const SourceLocation begin = sources.getExpansionLoc(at);
  return sources.getBufferData(sources.getFileID(begin)).drop_front(sources.getFileOffset(begin));
}

bool Kernels::single_out(const std::string& name, Edits& edits) const {
  const SourceManager& sources = context_.getSourceManager();
  const auto is_named = [&](SourceLocation list) {
    return joined(argument_in(text_from(list), "host_name", context_.getLangOpts())) == name;
  };
  if (llvm::none_of(left_out_.ahead, is_named) || left_out_.ahead.size() < 2) return false;
  for (const SourceLocation list : left_out_.ahead)
    if (!is_named(list)) edits.replace(sources, declaration_around(sources, list), "");
  return true;
}

const Kernel* Kernels::chosen(const std::string& name, Edits& edits) const {
  const Kernel *found_exactly = nullptr, *found = nullptr;
  for (const Kernel& one : all_) {
    const bool is_template = one.function->getTemplateInstantiationPattern() != nullptr;
    const bool exactly =
        one.host_name == name || (!is_template && one.function->getQualifiedNameAsString() == name);
    if (exactly) {
      if (found_exactly != nullptr && found_exactly->host_name == one.host_name)
        say_twice(name, *found_exactly->function, *one.function);
      if (found_exactly == nullptr) found_exactly = &one;
    } else if (!is_template && one.function->getNameAsString() == name) {
      found = &one;
    }
  }
  if (found_exactly != nullptr) return found_exactly;
  if (found == nullptr && !single_out(name, edits)) say_there_is_none(name);
  return found;
}

void Kernels::say_twice(const std::string& name, const FunctionDecl& first, const FunctionDecl& again) const {
  const Diagnostic::Place place = place_of(first);
  Diagnostic::Place here = place_of(again);
  here.byte.reset();  // whatever the kernel uses
  Diagnostic twice{here,
                   "the kernel `" + name + "` is defined twice; the first definition is at " + place.file +
                       ":" + std::to_string(place.line),
                   {}};
  errors_.push_back(std::move(twice));
}

void Kernels::say_there_is_none(const std::string& name) const {
  std::set<std::string> names;
  std::string message = "no kernel function `" + name + "`; ";
  for (const Kernel& one : all_) names.insert(one.host_name);
  if (llvm::is_contained(templates_, name))
    message = "kernel `" + name + "` is a template; name one of its instantiations: ";
  message += names.empty() ? "the file has none" : "the file has: " + llvm::join(names, ", ");
  const SourceManager& sources = context_.getSourceManager();
  const FileID text = sources.getMainFileID();
  const std::string file = place_of(sources, sources.getLocForEndOfFile(text)).file;
  // One that stands there and could not be read is what else is said.
  const auto at = sources.getBufferData(text).contains(name) ? errors_.end() : errors_.begin();
  errors_.insert(at, {{file, 0, 0}, message, {}});
}

}  // namespace assay::metal
