#include "harness/metal/clang/action.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/SemaConsumer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <functional>
#include <set>
#include <utility>

#include "harness/metal/clang/apple_functions.hpp"
#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/constants.hpp"
#include "harness/metal/clang/early_barriers.hpp"
#include "harness/metal/clang/entry.hpp"
#include "harness/metal/clang/handles.hpp"
#include "harness/metal/clang/leaving.hpp"
#include "harness/metal/clang/lengths.hpp"
#include "harness/metal/clang/literals.hpp"
#include "harness/metal/clang/outline.hpp"
#include "harness/metal/clang/places.hpp"
#include "harness/metal/clang/reach.hpp"
#include "harness/metal/clang/refusals.hpp"
#include "harness/metal/clang/slips.hpp"
#include "harness/metal/clang/syntax.hpp"
#include "harness/metal/clang/threadgroup_variables.hpp"
#include "harness/metal/clang/unions.hpp"
#include "harness/metal/clang/vector_types.hpp"

namespace assay::metal {

using namespace clang;

namespace {

// Is it a name of <metal_stdlib>?
bool is_of_library(const ASTContext& context, const std::string& name) {
  for (const NamedDecl* one : context.getTranslationUnitDecl()->lookup(&context.Idents.get("metal"))) {
    const auto* const scope = dyn_cast<NamespaceDecl>(one);
    if (scope == nullptr) continue;
    for (const NamedDecl* found : scope->lookup(&context.Idents.get(name)))
      if (found->isFromASTFile()) return true;
  }
  return false;
}

}  // namespace

// `#pragma assay_entry`, which stands behind the text: there the kernel is chosen, and its entry point read.
class ReadAction::EntryPragma : public PragmaHandler {
 public:
  EntryPragma(CompilerInstance& compiler, ReadAction& action)
      : PragmaHandler("assay_entry"), compiler_(compiler), action_(action) {}

  void HandlePragma(Preprocessor& preprocessor, PragmaIntroducer, Token& token) override {
    const SourceLocation at = token.getLocation();
    while (token.isNot(tok::eod)) preprocessor.Lex(token);
    action_.ended_ = true;
    ASTContext& context = compiler_.getASTContext();
    Complaints& complaints = action_.complaints_;
    const Kernels kernels(context, complaints.left_out, complaints.errors);
    action_.outline_.kernels = kernels.names();
    if (action_.request_.lists) return;
    const Kernel* const chosen = kernels.chosen(action_.request_.function, complaints.edits);
    if (chosen == nullptr) return;
    action_.kernel_ = chosen->function;
    const Reach& used = action_.used_.emplace(context, *chosen->function, kernels.list_of(*chosen->function));
    make_when_used(compiler_.getSema());
    // The entry point calls it by its linker's name, which makes no template.
    compiler_.getSema().MarkFunctionReferenced(at, const_cast<FunctionDecl*>(chosen->function));
    // What pointers lead to need not be complete to C++, but it is outlined.
    const bool outlined = !action_.emits_ && !action_.request_.spaces;
    for (const ParmVarDecl* one : chosen->function->parameters())
      if (const QualType to = one->getType()->getPointeeType(); outlined && !to.isNull())
        (void)compiler_.getSema().isCompleteType(at, to);
    std::set<std::uint32_t> constants;
    for (const auto& one : action_.constants_.all())
      if (used.holds(one.place.byte)) constants.insert(one.index);
    // What is wrong with a parameter comes first: what its uses lead to follows from it.
    std::vector<Diagnostic> of_parameters;
    refuse_handles_in_memory(context, *chosen->function, of_parameters);
    auto text = llvm::MemoryBuffer::getMemBufferCopy(
        entry_of(context, *chosen, complaints.left_out, constants, action_.slots_,
                 action_.request_.all_coherent, of_parameters),
        "entry");
    // Errors that may be taken back are known by their places in the list.
    for (Redeclared& one : complaints.redeclared)
      if (one.error != kNoError) one.error += of_parameters.size();
    complaints.errors.insert(complaints.errors.begin(), of_parameters.begin(), of_parameters.end());
    SourceManager& sources = compiler_.getSourceManager();
    preprocessor.EnterSourceFile(sources.createFileID(std::move(text), SrcMgr::C_User, 0, 0, at), nullptr,
                                 at);
  }

 private:
  CompilerInstance& compiler_;
  ReadAction& action_;
};

// `#pragma assay_macros`, which macros stand behind, as enumerators: what is wrong there is nobody's fault.
class ReadAction::MacrosPragma : public PragmaHandler {
 public:
  explicit MacrosPragma(ReadAction& action) : PragmaHandler("assay_macros"), action_(action) {}

  void HandlePragma(Preprocessor& preprocessor, PragmaIntroducer introducer, Token&) override {
    if (action_.ended_) action_.macros_from_ = preprocessor.getSourceManager().getFileOffset(introducer.Loc);
  }

 private:
  ReadAction& action_;
};

// Who makes IR hears of declarations when all is read, and known to be right: of those that are used.
class ReadAction::Held : public ASTConsumer {
 public:
  Held(std::unique_ptr<ASTConsumer> maker, DiagnosticsEngine& diagnostics, ReadAction& action)
      : maker_(std::move(maker)), diagnostics_(diagnostics), action_(action) {}

  void Initialize(ASTContext& context) override { maker_->Initialize(context); }
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    later([this, group] {
      for (Decl* one : group) hand_on(*one);
    });
    return true;
  }
  void HandleInlineFunctionDefinition(FunctionDecl* one) override {
    later([this, one] {
      if (is_used(*one)) maker_->HandleInlineFunctionDefinition(one);
    });
  }
  void HandleInterestingDecl(DeclGroupRef group) override { HandleTopLevelDecl(group); }
  void HandleTagDeclDefinition(TagDecl* one) override {
    later([this, one] { maker_->HandleTagDeclDefinition(one); });
  }
  void HandleTagDeclRequiredDefinition(const TagDecl* one) override {
    later([this, one] { maker_->HandleTagDeclRequiredDefinition(one); });
  }
  void HandleCXXImplicitFunctionInstantiation(FunctionDecl* one) override {
    later([this, one] { maker_->HandleCXXImplicitFunctionInstantiation(one); });
  }
  void CompleteTentativeDefinition(VarDecl* one) override {
    later([this, one] { maker_->CompleteTentativeDefinition(one); });
  }
  void HandleCXXStaticMemberVarInstantiation(VarDecl* one) override {
    later([this, one] { maker_->HandleCXXStaticMemberVarInstantiation(one); });
  }
  void HandleTranslationUnit(ASTContext& context) override {
    action_.settle(context);
    if (!action_.emits_ || !action_.complaints_.edits.none() || !action_.complaints_.errors.empty()) return;
    diagnostics_.Reset(true);  // of what is wrong where the kernel does not come to
    released_ = true;          // what is read of the library on the way is heard of at once
    for (const auto& one : held_) one();
    maker_->HandleTranslationUnit(context);
  }

 private:
  void later(std::function<void()> call) { released_ ? call() : held_.push_back(std::move(call)); }

  // What is not used may be wrong, and some of it would be made all the same.
  bool is_used(const Decl& one) const {
    return one.isFromASTFile() || !action_.used_ ||
           (!one.isInvalidDecl() && action_.used_->holds(place_of(one).byte));
  }
  void hand_on(Decl& one) {
    const bool scope = !one.isFromASTFile() && (isa<NamespaceDecl>(one) || isa<LinkageSpecDecl>(one));
    if (scope) {
      for (Decl* inner : cast<DeclContext>(one).decls()) hand_on(*inner);
    } else if (is_used(one)) {
      maker_->HandleTopLevelDecl(DeclGroupRef(&one));
    }
  }

  std::unique_ptr<ASTConsumer> maker_;
  DiagnosticsEngine& diagnostics_;
  ReadAction& action_;
  std::vector<std::function<void()>> held_;
  bool released_ = false;
};

ReadAction::ReadAction(llvm::LLVMContext* context, const ReadRequest& request, Complaints& complaints,
                       bool emits)
    : EmitLLVMOnlyAction(context),
      request_(request),
      complaints_(complaints),
      emits_(emits),
      constants_(request.function_constants),
      host_words_(refused_, !request.is_metal) {}

ReadAction::~ReadAction() = default;

std::unique_ptr<ASTConsumer> ReadAction::CreateASTConsumer(CompilerInstance& compiler, llvm::StringRef file) {
  std::vector<Diagnostic>& errors = complaints_.errors;
  std::vector<std::unique_ptr<ASTConsumer>> all;
  all.push_back(host_access(refused_));
  if (has_kernels()) {
    all.push_back(literals());
    all.push_back(apple_functions(complaints_.edits));
    all.push_back(vector_types(complaints_.edits, errors));
  }
  all.push_back(threadgroup_variables(slots_, errors));
  if (has_kernels()) {
    all.push_back(refusals(request_.lambdas, ended_, errors));
    all.push_back(slips(errors));
    if (emits_) {
      all.push_back(leaving());
      all.push_back(early_barriers());
    }
  }
  if (emits_) all.push_back(loops_reader(loops_));
  if (request_.is_metal) {
    all.push_back(lengths_of_any_type());
    all.push_back(constants_checker(request_.library, errors));
  }
  all.push_back(members_reader(copied_));
  all.push_back(arithmetic_pragmas(compiler.getPreprocessor(), restricted_));
  if (request_.is_metal) all.push_back(written_casts(request_.library, casts_));
  if (compiler.getLangOpts().Sanitize.has(SanitizerKind::ArrayBounds))
    all.push_back(subscripts_reader(subscripts_));
  all.push_back(std::make_unique<Held>(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file),
                                       compiler.getDiagnostics(), *this));
  return std::make_unique<MultiplexConsumer>(std::move(all));
}

void ReadAction::ExecuteAction() {
  CompilerInstance& compiler = getCompilerInstance();
  Preprocessor& preprocessor = compiler.getPreprocessor();
  const bool kernel = has_kernels();
  if (kernel) {
    preprocessor.AddPragmaHandler(new EntryPragma(compiler, *this));
    preprocessor.AddPragmaHandler(new MacrosPragma(*this));
  }
  preprocessor.setTokenWatcher([&](const Token& token) {
    if (kernel && compiler.hasSema()) constants_.define_declared(compiler.getSema());
    if (!ended_) host_words_.see(preprocessor, token);
    // What clang says behind something fatal counts as well: the one may be where the kernel does not come
    // to.
    if (kernel && compiler.getDiagnostics().hasFatalErrorOccurred()) compiler.getDiagnostics().Reset(true);
  });
  if (kernel) take_attributes(&constants_);
  EmitLLVMOnlyAction::ExecuteAction();
  take_attributes(nullptr);
}

void ReadAction::settle(ASTContext& context) {
  std::vector<Diagnostic>& errors = complaints_.errors;
  if (complaints_.ambiguous) find_conversions(context, complaints_.redeclared);
  settle_overloads(context, complaints_.redeclared, kernel_, errors, complaints_.edits);
  if (complaints_.unassigned) assign_unions(context, complaints_.edits);
  errors.insert(errors.begin(), refused_.begin(), refused_.end());
  if (request_.syntax) outline_.syntax = syntax_of(context);
  if (!used_) return;
  if (macros_from_)
    std::erase_if(errors,
                  [&](const Diagnostic& one) { return one.byte_of_text().value_or(0) >= *macros_from_; });
  std::erase_if(errors, [&](const Diagnostic& one) {
    // Who has asked for it clang does not say.
    const bool of_library = !one.byte_of_text() && one.place.file.starts_with(request_.library);
    if (of_library) return used_->leave_out_unused(complaints_.edits);
    if (used_->holds(one.byte_of_text())) return false;
    // An instance that something else has asked for is wrong for the kernel, too.
    if (!one.asked_for_at.empty()) used_->leave_out(one, complaints_.edits);
    return true;
  });
  reach_ = used_->ranges();
  for (const std::string& name : used_->names())
    if (is_of_library(context, name)) names_of_library_.insert(name);
  if (!emits_) outline(context);
}

void ReadAction::outline(const ASTContext& context) {
  OutlinedText text{context, *kernel_, {}, reach_, macros_from_};
  for (const auto& one : constants_.all())
    if (used_->holds(one.place.byte)) text.constants.push_back(one);
  Outline outlined = outline_of(text);
  outlined.kernels = std::move(outline_.kernels);
  outlined.syntax = std::move(outline_.syntax);
  outline_ = std::move(outlined);
}

}  // namespace assay::metal
