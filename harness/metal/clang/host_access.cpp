#include "harness/metal/clang/host_access.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <utility>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/host_words.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/text_declarations.hpp"

namespace assay::metal {
namespace {

using namespace clang;

constexpr llvm::StringLiteral kBuiltin = "__builtin_";

// `__noinline__` -> noinline
std::string plain_name(llvm::StringRef name) {
  if (name.size() > 4 && name.starts_with("__") && name.ends_with("__"))
    name = name.drop_front(2).drop_back(2);
  return name.str();
}

class HostVisitor : public RecursiveASTVisitor<HostVisitor> {
 public:
  HostVisitor(ASTContext& context, std::vector<Diagnostic>& refused) : context_(context), refused_(refused) {}

  // Headers that the host program shares wrap their structures in it.
  bool VisitLinkageSpecDecl(LinkageSpecDecl* one) {
    const std::string what =
        one->getLanguage() == LinkageSpecLanguageIDs::C ? "extern \"C\"" : "extern \"C++\"";
    for (const Decl* inner : one->decls()) {
      if (isa<LinkageSpecDecl>(inner) || isa<NamespaceDecl>(inner) || isa<TagDecl>(inner) ||
          isa<TypedefNameDecl>(inner) || isa<StaticAssertDecl>(inner) || isa<EmptyDecl>(inner) ||
          isa<UsingDecl>(inner) || isa<UsingDirectiveDecl>(inner) || is_defined_kernel(*inner))
        continue;
      if (!one->getExternLoc().isMacroID())
        not_of_the_host(one->hasBraces() ? inner->getBeginLoc() : one->getExternLoc(), what);
    }
    return true;
  }
  bool VisitVarDecl(VarDecl* one) {
    if (one->getStorageClass() == SC_Extern && annotation_of(*one, "function_constant") == nullptr)
      not_of_the_host(one->getBeginLoc(), "extern");
    if (is_labelled(*one)) say(one->getLocation(), "inline assembly is not supported");
    return true;
  }
  bool VisitFunctionDecl(FunctionDecl* one) {
    if (one->getStorageClass() == SC_Extern && !is_defined_kernel(*one))
      not_of_the_host(one->getBeginLoc(), "extern");
    if (is_labelled(*one) && one->hasBody()) say(one->getLocation(), "inline assembly is not supported");
    return true;
  }
  bool VisitFileScopeAsmDecl(FileScopeAsmDecl* one) {
    return say(one->getBeginLoc(), "inline assembly is not supported");
  }
  bool VisitAsmStmt(AsmStmt* one) { return say(one->getAsmLoc(), "inline assembly is not supported"); }

 private:
  static bool is_labelled(const Decl& one) {
    const auto* const label = one.getAttr<AsmLabelAttr>();
    return label != nullptr && !label->isImplicit();
  }
  static bool is_defined_kernel(const Decl& one) {
    const FunctionDecl* const function = one.getAsFunction();
    return function != nullptr && function->isThisDeclarationADefinition() &&
           annotation_of(*function, "kernel_function") != nullptr;
  }
  void not_of_the_host(SourceLocation at, const std::string& what) {
    say(at, "`" + what + "` declares something of the host, which a kernel may not use");
  }
  bool say(SourceLocation at, const std::string& why) {
    refused_.push_back({place_of(context_.getSourceManager(), at), "assay: " + why, {}});
    return true;
  }

  ASTContext& context_;
  std::vector<Diagnostic>& refused_;
};

}  // namespace

void HostWords::say(const SourceManager& sources, SourceLocation at, const std::string& why) {
  refused_.push_back({place_of(sources, at), "assay: " + why, {}});
}

void HostWords::see(const Preprocessor& preprocessor, const Token& token) {
  const SourceManager& sources = preprocessor.getSourceManager();
  const SourceLocation at = token.getLocation();
  if (at.isInvalid() || token.isAnnotation()) return;
  // A word of Metal's (stdlib/assay/words.h), or the library's own; not what the text gives to one of these.
  if (sources.getFileID(sources.getSpellingLoc(at)) != sources.getMainFileID()) return;
  if (extern_at_.isValid()) {
    const std::string language =
        token.is(tok::string_literal) ? " " + std::string(token.getLiteralData(), token.getLength()) : "";
    say(sources, std::exchange(extern_at_, {}),
        "`extern" + language + "` declares something of the host, which a kernel may not use");
  }
  if (anywhere_ && token.is(tok::kw_extern)) extern_at_ = at;
  const IdentifierInfo* const named = token.getIdentifierInfo();
  const std::string word = named != nullptr ? named->getName().str() : std::string();
  if (!builtin_.empty() && token.isNot(tok::l_paren))  // its address is taken
    say(sources, builtin_at_, "`" + builtin_ + "`: this function of the host's compiler is not supported");
  builtin_.clear();
  if (llvm::StringRef(word).starts_with(kBuiltin)) {
    if (!is_plain_builtin(std::string_view(word).substr(kBuiltin.size()))) {
      say(sources, at, "`" + word + "`: this function of the host's compiler is not supported");
    } else {
      builtin_ = word;
      builtin_at_ = at;
    }
  }
  const bool deleted = std::exchange(deletes_, token.is(tok::equal)) && word == "delete";
  const std::string why(why_refused(word));
  if (!why.empty() && !deleted) say(sources, at, "`" + word + "` is not supported: " + why);
  see_list(word, token, sources);
}

// __attribute__((a, b(c))), [[a, gnu::b(c), using clang: d]]: with or without space between the brackets, two
// of them begin nothing else. Other namespaces' mean nothing to clang, and standard ones without a namespace
// no harm.
void HostWords::see_list(const std::string& word, const Token& token, const SourceManager& sources) {
  const auto settle = [&] {
    if (!pending_.empty()) attribute(sources, pending_at_, std::exchange(pending_, {}), space_);
  };
  if (list_ == List::none) {
    if (token.is(tok::kw___attribute)) list_ = List::gnu;
    if (token.is(tok::l_square)) list_ = List::opens;
    depth_ = list_ == List::opens ? 1 : 0;
    space_ = list_ == List::gnu ? "gnu" : "";
    name_ = scope_ = fixed_ = false;
    pending_.clear();
    return;
  }
  if (list_ == List::opens) {  // a subscript, unless another follows
    list_ = token.is(tok::l_square) ? List::standard : List::none;
    depth_ = 2;
    name_ = true;
    return;
  }
  const bool opens = token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
  const bool closes = token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
  if (depth_ == 2 && name_ && word == "using") {
    scope_ = fixed_ = true;
  } else if (depth_ == 2 && scope_ && !word.empty()) {
    space_ = plain_name(word);
  } else if (depth_ == 2 && scope_ && token.is(tok::colon)) {
    scope_ = false;
  } else if (depth_ == 2 && name_ && !word.empty()) {
    pending_ = word;
    pending_at_ = token.getLocation();
    name_ = false;
  } else if (depth_ == 2 && !pending_.empty() && token.is(tok::coloncolon)) {
    const std::string space = plain_name(std::exchange(pending_, {}));
    space_ = space;
    name_ = true;
    return;
  } else if (depth_ == 2) {
    settle();
    if (list_ == List::standard && !fixed_ && token.is(tok::comma)) space_ = "";
    name_ = token.is(tok::comma);
  }
  if (opens) {
    ++depth_;
    if (depth_ == 2) name_ = true;
  }
  if (closes && (depth_ == 0 || --depth_ == 0)) list_ = List::none;
  if (depth_ == 0 && !opens && !closes) {  // `__attribute__ x`
    say(sources, token.getLocation(), "`__attribute__` must be followed by `((`");
    list_ = List::none;
  }
}

void HostWords::attribute(const SourceManager& sources, SourceLocation at, const std::string& name,
                          const std::string& space) {
  const std::string plain = plain_name(name);
  if ((space == "gnu" || space == "clang") && !is_kernel_attribute(plain))
    say(sources, at,
        "the attribute `" + plain +
            "` is not supported: a kernel may not choose symbols, sections or how it is compiled");
}

std::unique_ptr<ASTConsumer> host_access(std::vector<Diagnostic>& refused) {
  return for_each_declaration(
      [&refused](Sema& sema, Decl& one) { HostVisitor(sema.Context, refused).TraverseDecl(&one); });
}

}  // namespace assay::metal
