#include "harness/metal/clang/reach.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <map>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

using namespace clang;

// Called by the language itself: a loop over a range, a structured binding.
bool is_called_by_the_language(llvm::StringRef name) {
  return name == "begin" || name == "end" || name == "get";
}

// What a declaration is a template of, or is a specialisation or a member of; itself otherwise.
const Decl& root_of(const Decl& one) {
  if (const auto* made = dyn_cast<TemplateDecl>(&one); made != nullptr && made->getTemplatedDecl() != nullptr)
    return *made->getTemplatedDecl();
  return one;
}

// The function that it declares, `extern "C"` before it or not.
const FunctionDecl* function_of(const Decl& one) {
  const auto* const linkage = dyn_cast<LinkageSpecDecl>(&one);
  if (linkage == nullptr) return one.getAsFunction();
  return linkage->decls_empty() ? nullptr : (*linkage->decls_begin())->getAsFunction();
}

// Where a declaration begins, with the attributes ahead of it, which clang does not count in.
SourceLocation begin_of(const SourceManager& sources, const Decl& one) {
  SourceLocation begin = sources.getExpansionLoc(one.getBeginLoc());
  for (const Attr* each : one.attrs()) {
    const SourceLocation word = sources.getExpansionLoc(each->getLocation());
    if (!word.isValid() || !sources.isBeforeInTranslationUnit(word, begin)) continue;
    const auto [file, at] = sources.getDecomposedLoc(word);
    const std::size_t open = sources.getBufferData(file).take_front(at).rfind("[[");
    if (open != llvm::StringRef::npos)
      begin = sources.getLocForStartOfFile(file).getLocWithOffset(static_cast<int>(open));
  }
  return begin;
}

// Where it ends; of `using U = union {...}` clang takes the word `union` for the end.
SourceLocation end_of(const SourceManager& sources, const Decl& one) {
  const SourceLocation end = sources.getExpansionLoc(one.getEndLoc());
  const auto* const alias = dyn_cast<TypedefNameDecl>(&one);
  const TagDecl* const named = alias == nullptr ? nullptr : alias->getUnderlyingType()->getAsTagDecl();
  if (named == nullptr || !named->getName().empty()) return end;
  const SourceLocation brace = sources.getExpansionLoc(named->getEndLoc());
  return sources.isBeforeInTranslationUnit(one.getBeginLoc(), named->getBeginLoc()) &&
                 sources.isBeforeInTranslationUnit(end, brace)
             ? brace
             : end;
}

}  // namespace

Reach::Reach(const ASTContext& context, const FunctionDecl& kernel, SourceLocation from)
    : context_(context), kernel_(kernel) {
  read(*context.getTranslationUnitDecl());
  add_instantiations(from);
  add_lost_assertions();
  follow();
}

void Reach::read(const DeclContext& scope) {
  for (const Decl* one : scope.noload_decls()) {
    if (one->isFromASTFile() || one->isImplicit()) continue;
    const auto* const linkage = dyn_cast<LinkageSpecDecl>(one);
    if (isa<NamespaceDecl>(one) || (linkage != nullptr && linkage->hasBraces())) {
      read(*cast<DeclContext>(one));
    } else {
      add(*one);
    }
  }
}

void Reach::add(const Decl& one) {
  const SourceManager& sources = context_.getSourceManager();
  const auto [file, begin] = sources.getDecomposedLoc(begin_of(sources, one));
  const SourceLocation last = end_of(sources, one);
  const auto [same, end] = sources.getDecomposedLoc(last);
  if (file != sources.getMainFileID() || same != file || end < begin) return;
  const unsigned size = Lexer::MeasureTokenLength(last, sources, context_.getLangOpts());
  Part part = part_of(begin, end + size);
  name(one, part);
  const FunctionDecl* const function = function_of(one);
  const FunctionDecl* const pattern = kernel_.getTemplateInstantiationPattern();
  part.reached = function != nullptr && (function == &kernel_ || function == pattern);
  // No one calls the kernels that only share its name.
  if (!part.reached && function != nullptr && annotation_of(*function, "kernel_function") != nullptr &&
      function->getDeclName() == kernel_.getDeclName())
    part.names.clear();
  parts_.push_back(std::move(part));
}

void Reach::name(const Decl& one, Part& part) const {
  if (const auto* linkage = dyn_cast<LinkageSpecDecl>(&one)) {
    for (const Decl* inner : linkage->decls()) name(*inner, part);
    return;
  }
  part.asserts = isa<StaticAssertDecl>(one);
  const Decl& root = root_of(one);
  const auto* const named = dyn_cast<NamedDecl>(&root);
  if (const auto* list = dyn_cast<EnumDecl>(&root))
    for (const EnumConstantDecl* each : list->enumerators()) part.names.push_back(each->getNameAsString());
  if (const auto* record = dyn_cast<CXXRecordDecl>(root.getDeclContext());
      record != nullptr && named != nullptr) {
    part.names.push_back(record->getNameAsString());  // a member, defined outside
    return;
  }
  if (const auto* tag = dyn_cast<TagDecl>(&root); tag != nullptr && tag->getName().empty()) {
    if (const TypedefNameDecl* alias = tag->getTypedefNameForAnonDecl())
      part.names.push_back(alias->getNameAsString());
  } else if (named != nullptr && named->getDeclName().isIdentifier() && !isa<UsingDecl>(one)) {
    part.names.push_back(named->getNameAsString());
  }
  // What changes a library template's meaning without being mentioned: its specialisations.
  const auto* const special = dyn_cast<ClassTemplateSpecializationDecl>(&root);
  const bool of_library = special != nullptr && special->getSpecializedTemplate()->isFromASTFile();
  const bool function = root.getAsFunction() != nullptr;
  part.always = (part.names.empty() && !part.asserts) || of_library ||
                (function && is_called_by_the_language(part.names.front()));
}

// `template void f<2>(...);`, which are no declarations to clang. None but the kernel's own is used.
void Reach::add_instantiations(SourceLocation from) {
  const SourceManager& sources = context_.getSourceManager();
  const auto text = sources.getBufferData(sources.getMainFileID());
  const unsigned chosen = from.isValid() ? sources.getFileOffset(sources.getExpansionLoc(from)) : 0;
  for (std::size_t at = text.find("extern template"); at != llvm::StringRef::npos;
       at = text.find("extern template", at + 1)) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    Part part = part_of(static_cast<unsigned>(at), static_cast<unsigned>(end));
    part.reached = from.isValid() && chosen >= at && chosen < end;
    parts_.push_back(std::move(part));
  }
}

// Those in which something is wrong, of which clang makes no declaration.
void Reach::add_lost_assertions() {
  const SourceManager& sources = context_.getSourceManager();
  const auto text = sources.getBufferData(sources.getMainFileID());
  const auto is_known = [&](std::size_t at) {
    return llvm::any_of(parts_, [&](const Part& one) { return one.begin <= at && at < one.end; });
  };
  for (std::size_t at = text.find("static_assert"); at != llvm::StringRef::npos;
       at = text.find("static_assert", at + 1)) {
    if (is_known(at)) continue;
    Part part =
        part_of(static_cast<unsigned>(at), static_cast<unsigned>(std::min(text.find(';', at), text.size())));
    part.asserts = true;
    parts_.push_back(std::move(part));
  }
}

bool Reach::Part::mentions(const std::vector<std::string>& any) const {
  return llvm::any_of(words, [&](llvm::StringRef word) { return llvm::is_contained(any, word); });
}

Reach::Part Reach::part_of(unsigned begin, unsigned end) const {
  const SourceManager& sources = context_.getSourceManager();
  Part part;
  part.begin = begin;
  part.end = end;
  const auto text = sources.getBufferData(sources.getMainFileID());
  Lexer lexer(SourceLocation(), context_.getLangOpts(), text.begin(), text.begin() + begin, text.end());
  Token token;
  token.startToken();
  for (bool last = false; !last;) {
    last = lexer.LexFromRawLexer(token);
    if (token.is(tok::eof) || lexer.getBufferLocation() > text.begin() + end) break;
    if (token.is(tok::raw_identifier)) part.words.push_back(token.getRawIdentifier());
  }
  return part;
}

void Reach::follow() {
  std::multimap<llvm::StringRef, Part*> by_name;
  for (Part& one : parts_)
    for (const std::string& each : one.names) by_name.emplace(each, &one);
  std::set<llvm::StringRef> mentioned;
  std::vector<const Part*> open;
  const auto keep = [&](Part& one) {
    if (one.reached) return;
    one.reached = true;
    open.push_back(&one);
  };
  for (Part& one : parts_) {
    if (one.reached) open.push_back(&one);
    if (one.always) keep(one);
  }
  const auto is_about_the_used = [&](const Part& one) {
    bool names_any = false, names_used = false;
    for (const llvm::StringRef word : one.words) {
      names_any |= by_name.contains(word);
      names_used |= by_name.contains(word) && mentioned.contains(word);
    }
    return names_used || !names_any;
  };
  const auto keep_assertions = [&] {
    for (Part& one : parts_)
      if (one.asserts && is_about_the_used(one)) keep(one);
    return !open.empty();
  };
  while (!open.empty() || keep_assertions()) {
    const Part& one = *open.back();
    open.pop_back();
    for (const llvm::StringRef word : one.words) {
      if (!mentioned.insert(word).second) continue;
      const auto [first, last] = by_name.equal_range(word);
      for (auto it = first; it != last; ++it) keep(*it->second);
    }
  }
}

bool Reach::holds(std::optional<unsigned> byte) const {
  if (!byte) return true;
  bool known = false;
  for (const Part& one : parts_) {
    const bool inside = one.begin <= *byte && *byte < one.end;
    if (inside && one.reached) return true;
    known |= inside;
  }
  return !known;
}

void Reach::leave_out(const Diagnostic& error, Edits& edits) const {
  const std::optional<unsigned> byte = error.byte_of_text();
  for (const Part& one : parts_) {
    if (one.reached || !byte || *byte < one.begin || *byte >= one.end) continue;
    leave_out(one, edits);
    // What is asserted of it would be about nothing then, and be taken for everybody's.
    for (const Part& other : parts_)
      if (other.asserts && !other.reached && other.mentions(one.names)) leave_out(other, edits);
  }
}

bool Reach::leave_out_unused(Edits& edits) const {
  bool any = false;
  for (const Part& one : parts_) {
    if (one.reached) continue;
    leave_out(one, edits);
    any = true;
  }
  return any;
}

void Reach::leave_out(const Part& one, Edits& edits) const {
  const SourceManager& sources = context_.getSourceManager();
  const SourceLocation start = sources.getLocForStartOfFile(sources.getMainFileID());
  const auto text = sources.getBufferData(sources.getMainFileID());
  const std::size_t behind = text.find_first_not_of(" \t\r\n", one.end);
  const bool ends = behind != llvm::StringRef::npos && text[behind] == ';';
  const std::size_t end = ends ? behind + 1 : one.end;
  edits.replace(sources,
                CharSourceRange::getCharRange(start.getLocWithOffset(static_cast<int>(one.begin)),
                                              start.getLocWithOffset(static_cast<int>(end))),
                "");
}

std::vector<std::string> Reach::names() const {
  std::vector<std::string> all;
  for (const Part& one : parts_)
    if (one.reached) all.insert(all.end(), one.names.begin(), one.names.end());
  return all;
}

std::vector<std::pair<unsigned, unsigned>> Reach::ranges() const {
  std::vector<std::pair<unsigned, unsigned>> all;
  for (const Part& one : parts_)
    if (one.reached) all.emplace_back(one.begin, one.end);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace assay::metal
