#include "harness/metal/clang/overloads.hpp"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

using WordList = std::vector<std::string>;

// Functions and classes of the text, by where their names stand.
class ByName : public RecursiveASTVisitor<ByName> {
 public:
  explicit ByName(std::map<SourceLocation, NamedDecl*>& found) : found_(found) {}
  bool VisitFunctionDecl(FunctionDecl* one) { return take(*one); }
  bool VisitCXXRecordDecl(CXXRecordDecl* one) { return !one->isThisDeclarationADefinition() || take(*one); }

 private:
  bool take(NamedDecl& one) {
    found_.try_emplace(one.getLocation(), &one);
    return true;
  }
  std::map<SourceLocation, NamedDecl*>& found_;
};

bool is_space(const std::string& word) {
  return word == "device" || word == "thread" || word == "threadgroup" || word == "constant" ||
         word == "constant_object" || word == "assay_coherent";
}

class Settler {
 public:
  Settler(const ASTContext& context, Edits& edits) : context_(context), edits_(edits) {
    ByName by_name(found_);
    for (Decl* one : context.getTranslationUnitDecl()->noload_decls())
      if (!one->isFromASTFile()) by_name.TraverseDecl(one);
  }

  std::string twice(const FunctionDecl& kernel) const {
    const Diagnostic::Place first = place_of(kernel);
    return "the kernel `" + kernel.getNameAsString() + "` is defined twice; the first definition is at " +
           first.file + ":" + std::to_string(first.line);
  }

  /// What is to be said in place of an error; nothing where it stands; "" where there is nothing to say.
  std::optional<std::string> settled(const Redeclared& one) {
    const NamedDecl *const later = at(one.at), *const first = at(one.before);
    if (later == nullptr && first != nullptr && isa<CXXRecordDecl>(first)) return settled_class(one);
    if (later == nullptr || first == nullptr || header_spaces(*later) == header_spaces(*first))
      return std::nullopt;
    const auto *const f = dyn_cast<FunctionDecl>(first), *const l = dyn_cast<FunctionDecl>(later);
    const bool first_goes = does_nothing(*first, *later);
    if (first_goes || does_nothing(*later, *first) || is_same(*first, *later)) {
      edits_.replace(context_.getSourceManager(), whole(first_goes ? *first : *later), "");
      // A constant may be made by the one that stays, if it may be made by any.
      if (!first_goes && f != nullptr && l != nullptr && l->isConstexprSpecified() &&
          !f->isConstexprSpecified())
        edits_.insert(context_.getSourceManager().getFileOffset(expansion(f->getOuterLocStart())),
                      "constexpr ");
      return "";
    }
    return differs(name_of(*later), one.before);
  }

 private:
  // A specialisation that is declared again is none to clang.
  std::optional<std::string> settled_class(const Redeclared& one) {
    const auto [later_head, later_body] = class_at(one.at);
    const auto [head, body] = class_at(one.before);
    if (later_head == head) return std::nullopt;
    if (later_body == body) {
      const SourceManager& sources = context_.getSourceManager();
      edits_.replace(sources, declaration_around(sources, one.at, '}'), "");
      return "";
    }
    return differs("specialisation", one.before);
  }
  // What tells it apart, and what it is.
  std::pair<std::string, WordList> class_at(SourceLocation name) const {
    const SourceManager& sources = context_.getSourceManager();
    const auto [file, begin] = sources.getDecomposedLoc(expansion(name));
    const auto text = sources.getBufferData(file);
    const std::size_t open = text.find('{', begin);
    if (open == llvm::StringRef::npos) return {};
    std::size_t end = open;
    for (int depth = 0; end < text.size(); ++end) {
      depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
      if (depth == 0) break;
    }
    const SourceLocation start = sources.getLocForStartOfFile(file);
    return {text.slice(begin, open).str(), words(start.getLocWithOffset(static_cast<int>(open)),
                                                 start.getLocWithOffset(static_cast<int>(end)))};
  }

  std::string differs(const std::string& name, SourceLocation first) const {
    const Diagnostic::Place place = place_of(context_.getSourceManager(), first);
    return "assay: `" + name + "` differs from the one at " + place.file + ":" + std::to_string(place.line) +
           " only by address space, but does something else; the simulator cannot tell address spaces apart";
  }

  const NamedDecl* at(SourceLocation name) const {
    const auto found = found_.find(name);
    return found == found_.end() ? nullptr : found->second;
  }

  static std::string name_of(const NamedDecl& one) {
    if (const auto* constructor = dyn_cast<CXXConstructorDecl>(&one))
      return constructor->getParent()->getNameAsString();
    return isa<CXXConversionDecl>(one) ? "operator" : one.getNameAsString();
  }

  SourceLocation expansion(SourceLocation at) const {
    return context_.getSourceManager().getExpansionLoc(at);
  }

  // From its first word on, that of a template's list of parameters included.
  SourceLocation begin_of(const NamedDecl& one) const {
    const auto* const function = dyn_cast<FunctionDecl>(&one);
    const auto* const made = function != nullptr ? function->getDescribedFunctionTemplate() : nullptr;
    const SourceLocation begin = made != nullptr       ? made->getBeginLoc()
                                 : function != nullptr ? function->getOuterLocStart()
                                                       : one.getBeginLoc();
    return expansion(begin);
  }

  // WordList of the text; without attributes, and without what says where something lies: an object in
  // constant space is const.
  WordList words(SourceLocation begin, SourceLocation end, const FunctionDecl* names_of = nullptr) const {
    WordList all;
    const SourceManager& sources = context_.getSourceManager();
    const auto [file, from] = sources.getDecomposedLoc(expansion(begin));
    const auto [same, to] = sources.getDecomposedLoc(expansion(end));
    if (file != same || to < from) return all;
    const auto text = sources.getBufferData(file);
    Lexer lexer(SourceLocation(), context_.getLangOpts(), text.begin(), text.begin() + from, text.end());
    Token token;
    token.startToken();
    unsigned brackets = 0;
    for (bool last = false; !last;) {
      last = lexer.LexFromRawLexer(token);
      const char* const at = lexer.getBufferLocation() - token.getLength();
      if (token.is(tok::eof) || at > text.begin() + to) break;
      const std::string word(at, token.getLength());
      if (word == "[" &&
          (brackets > 0 || (lexer.getBufferLocation() < text.end() && *lexer.getBufferLocation() == '[')))
        ++brackets;
      const bool attribute = brackets > 1 || (brackets == 1 && word == "]");
      if (word == "]" && brackets > 0) --brackets;
      if (attribute || (brackets == 1 && word == "[")) continue;
      if (word == "constant" || word == "const") {
        if (all.empty() || all.back() != "const") all.emplace_back("const");
      } else if (!is_space(word)) {
        all.push_back(number_of_name(word, names_of));
      }
    }
    return all;
  }

  // $0 of the first parameter's name.
  static std::string number_of_name(const std::string& word, const FunctionDecl* function) {
    for (unsigned i = 0; function != nullptr && i < function->getNumParams(); ++i)
      if (function->getParamDecl(i)->getName() == word) return "$" + std::to_string(i);
    return word;
  }

  // WordList by which Metal tells headers apart.
  WordList header_spaces(const NamedDecl& one) const {
    const auto* const function = dyn_cast<FunctionDecl>(&one);
    const auto* const record = dyn_cast<CXXRecordDecl>(&one);
    SourceLocation end = one.getEndLoc();
    if (function != nullptr && function->hasBody()) end = function->getBody()->getBeginLoc();
    if (const auto* made = dyn_cast<CXXConstructorDecl>(&one);
        made != nullptr && made->getNumCtorInitializers() > 0)
      for (const CXXCtorInitializer* each : made->inits())
        if (each->isWritten()) end = std::min(end, each->getSourceLocation());
    if (record != nullptr) end = record->getBraceRange().getBegin();
    WordList spaces;
    const SourceManager& sources = context_.getSourceManager();
    const auto text = Lexer::getSourceText(CharSourceRange::getTokenRange(begin_of(one), expansion(end)),
                                           sources, context_.getLangOpts());
    std::string word;
    for (const char c : text.str() + " ") {
      if (llvm::isAlnum(c) || c == '_') {
        word += c;
        continue;
      }
      if (is_space(word) || word == "const") spaces.push_back(word);
      word.clear();
    }
    return spaces;
  }

  // Of two constructors, `S() thread {...}` and `S() threadgroup = default;`, the one that is defaulted for
  // memory that nothing is constructed in: what lies in threadgroup memory has no value when a kernel begins.
  static bool does_nothing(const NamedDecl& one, const NamedDecl& other) {
    const auto *const idle = dyn_cast<CXXConstructorDecl>(&one), *const busy =
                                                                     dyn_cast<CXXConstructorDecl>(&other);
    if (idle == nullptr || busy == nullptr || idle->getNumParams() != 0 || !idle->isDefaulted()) return false;
    const auto is_of_thread = [](const Decl& each) {
      for (const char* space : {"device", "threadgroup", "constant"})
        if (annotation_of(each, space) != nullptr) return false;
      return true;
    };
    return !is_of_thread(*idle) && is_of_thread(*busy) && !busy->isDefaulted() && busy->hasBody();
  }

  bool is_same(const NamedDecl& one, const NamedDecl& other) const {
    const auto *const f = dyn_cast<FunctionDecl>(&one), *const g = dyn_cast<FunctionDecl>(&other);
    if (f == nullptr || g == nullptr) {
      const auto *const a = dyn_cast<CXXRecordDecl>(&one), *const b = dyn_cast<CXXRecordDecl>(&other);
      return a != nullptr && b != nullptr &&
             words(a->getBraceRange().getBegin(), a->getEndLoc()) ==
                 words(b->getBraceRange().getBegin(), b->getEndLoc());
    }
    // `const T&` is as good a result as `T`, where nothing but the address space is different.
    const auto result = [](const FunctionDecl& of) {
      return of.getReturnType().getCanonicalType().getNonReferenceType().getUnqualifiedType();
    };
    return result(*f) == result(*g) &&
           words(behind_parameters(*f), f->getEndLoc(), f) == words(behind_parameters(*g), g->getEndLoc(), g);
  }

  static SourceLocation behind_parameters(const FunctionDecl& one) {
    const FunctionTypeLoc type = one.getFunctionTypeLoc();
    return type.isNull() ? one.getLocation() : type.getRParenLoc();
  }

  CharSourceRange whole(const NamedDecl& one) const {
    const SourceManager& sources = context_.getSourceManager();
    const auto [file, at] = sources.getDecomposedLoc(expansion(one.getEndLoc()));
    const std::size_t end = sources.getBufferData(file).find_first_of(";}", at);
    return CharSourceRange::getCharRange(
        begin_of(one), sources.getLocForStartOfFile(file).getLocWithOffset(
                           static_cast<int>(std::min(end, sources.getBufferData(file).size() - 1)) + 1));
  }

  const ASTContext& context_;
  Edits& edits_;
  std::map<SourceLocation, NamedDecl*> found_;
};

class Conversions : public RecursiveASTVisitor<Conversions> {
 public:
  explicit Conversions(std::vector<Redeclared>& found) : found_(found) {}
  bool VisitCXXRecordDecl(CXXRecordDecl* record) {
    std::vector<const CXXConversionDecl*> earlier;
    if (!record->isThisDeclarationADefinition()) return true;
    for (const Decl* one : record->decls()) {
      const auto* const made = dyn_cast<FunctionTemplateDecl>(one);
      const auto* const conversion =
          made == nullptr ? nullptr : dyn_cast<CXXConversionDecl>(made->getTemplatedDecl());
      if (conversion == nullptr) continue;
      const auto* const same = find(earlier, *conversion);
      same != nullptr ? found_.push_back({conversion->getLocation(), same->getLocation(), kNoError})
                      : earlier.push_back(conversion);
    }
    return true;
  }

 private:
  static const CXXConversionDecl* find(const std::vector<const CXXConversionDecl*>& all,
                                       const CXXConversionDecl& one) {
    for (const CXXConversionDecl* other : all) {
      if (other->getType().getCanonicalType() == one.getType().getCanonicalType() &&
          other->isExplicit() == one.isExplicit())
        return other;
    }
    return nullptr;
  }
  std::vector<Redeclared>& found_;
};

}  // namespace

void find_conversions(const ASTContext& context, std::vector<Redeclared>& redeclared) {
  Conversions conversions(redeclared);
  for (Decl* one : context.getTranslationUnitDecl()->noload_decls())
    if (!one->isFromASTFile()) conversions.TraverseDecl(one);
}

void settle_overloads(const ASTContext& context, const std::vector<Redeclared>& redeclared,
                      const FunctionDecl* kernel, std::vector<Diagnostic>& errors, Edits& edits) {
  if (redeclared.empty()) return;
  Settler settler(context, edits);
  std::set<std::size_t> gone;
  for (const Redeclared& one : redeclared) {
    if (one.error == kNoError) {
      (void)settler.settled(one);
      continue;
    }
    if (kernel != nullptr && one.before == kernel->getLocation()) {
      errors[one.error].message = settler.twice(*kernel);
      errors[one.error].place.byte.reset();  // whatever the kernel uses
      continue;
    }
    const auto instead = settler.settled(one);
    if (!instead) continue;
    errors[one.error].message = *instead;
    if (instead->empty()) gone.insert(one.error);
  }
  std::size_t i = 0;
  std::erase_if(errors, [&](const Diagnostic&) { return gone.contains(i++); });
}

}  // namespace assay::metal
