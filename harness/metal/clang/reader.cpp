#include "harness/metal/clang/reader.hpp"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>

#include <utility>

#include "harness/metal/clang/addresses.hpp"
#include "harness/metal/clang/arithmetic_pragmas.hpp"
#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/complaints.hpp"
#include "harness/metal/clang/conditionals.hpp"
#include "harness/metal/clang/constants.hpp"
#include "harness/metal/clang/entry.hpp"
#include "harness/metal/clang/lengths.hpp"
#include "harness/metal/clang/members.hpp"
#include "harness/metal/clang/refusals.hpp"
#include "harness/metal/clang/saturate.hpp"
#include "harness/metal/clang/subscripts.hpp"
#include "harness/metal/clang/suffixes.hpp"
#include "harness/metal/clang/threadgroup_variables.hpp"
#include "harness/metal/clang/written_casts.hpp"

namespace assay::metal {
namespace {

// `#pragma assay_entry`, which stands behind the text: there the kernel is chosen, and its entry point read.
class EntryPragma : public clang::PragmaHandler {
 public:
  EntryPragma(clang::CompilerInstance& compiler, const ReadRequest& request, const LeftOut& left_out,
              FunctionConstants& constants, const std::vector<std::string>& slots, bool& ended,
              std::vector<Diagnostic>& errors)
      : PragmaHandler("assay_entry"),
        compiler_(compiler),
        request_(request),
        left_out_(left_out),
        constants_(constants),
        slots_(slots),
        ended_(ended),
        errors_(errors) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer,
                    clang::Token& token) override {
    const clang::SourceLocation at = token.getLocation();
    while (token.isNot(clang::tok::eod)) preprocessor.Lex(token);
    ended_ = true;
    const clang::ASTContext& context = compiler_.getASTContext();
    const Kernels kernels(context, left_out_, errors_);
    const Kernel* const chosen = kernels.chosen(request_.function);
    if (chosen == nullptr) return;
    // What is wrong with a parameter comes first: what its uses lead to follows from it.
    std::vector<Diagnostic> of_parameters;
    auto text = llvm::MemoryBuffer::getMemBufferCopy(
        entry_of(context, *chosen, left_out_, constants_, slots_, of_parameters), "entry");
    errors_.insert(errors_.begin(), of_parameters.begin(), of_parameters.end());
    clang::SourceManager& sources = compiler_.getSourceManager();
    preprocessor.EnterSourceFile(sources.createFileID(std::move(text), clang::SrcMgr::C_User, 0, 0, at),
                                 nullptr, at);
  }

 private:
  clang::CompilerInstance& compiler_;
  const ReadRequest& request_;
  const LeftOut& left_out_;
  FunctionConstants& constants_;
  const std::vector<std::string>& slots_;
  bool& ended_;
  std::vector<Diagnostic>& errors_;
};

// Beside what clang makes of the tree, what we ask of it.
class Action : public clang::EmitLLVMOnlyAction {
 public:
  Action(llvm::LLVMContext* context, const ReadRequest& request, LeftOut& left_out,
         std::vector<Diagnostic>& errors)
      : EmitLLVMOnlyAction(context),
        request_(request),
        left_out_(left_out),
        errors_(errors),
        constants_(request.function_constants) {}

  /// What the tree was asked, once it was read.
  const CopiedMembers& copied() const { return copied_; }
  const std::vector<UnsetConstant>& unset() const { return constants_.unset(); }
  const std::vector<RestrictedRange>& restricted() const { return restricted_; }
  const WrittenCasts& casts() const { return casts_; }
  const Subscripts& subscripts() const { return subscripts_; }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    all.push_back(instantiation_listener(left_out_));
    all.push_back(threadgroup_variables(slots_, errors_));
    if (!request_.function.empty()) all.push_back(refusals(request_.lambdas, ended_, errors_));
    if (request_.is_metal) {
      all.push_back(lengths_of_any_type());
      all.push_back(constants_checker(request_.library, errors_));
    }
    all.push_back(members_reader(copied_));
    all.push_back(arithmetic_pragmas(compiler.getPreprocessor(), restricted_));
    if (request_.is_metal) all.push_back(written_casts(request_.library, casts_));
    if (checks_bounds(compiler)) all.push_back(subscripts_reader(subscripts_));
    all.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }

  void ExecuteAction() override {
    clang::CompilerInstance& compiler = getCompilerInstance();
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    if (request_.function.empty()) return EmitLLVMOnlyAction::ExecuteAction();
    preprocessor.AddPragmaHandler(
        new EntryPragma(compiler, request_, left_out_, constants_, slots_, ended_, errors_));
    preprocessor.setTokenWatcher([&](const clang::Token&) {
      if (compiler.hasSema()) constants_.define_declared(compiler.getSema());
    });
    take_attributes(&constants_);
    EmitLLVMOnlyAction::ExecuteAction();
    take_attributes(nullptr);
  }

 private:
  static bool checks_bounds(const clang::CompilerInstance& compiler) {
    return compiler.getLangOpts().Sanitize.has(clang::SanitizerKind::ArrayBounds);
  }

  const ReadRequest& request_;
  LeftOut& left_out_;
  std::vector<Diagnostic>& errors_;
  FunctionConstants constants_;
  std::vector<std::string> slots_;  // names of variables in threadgroup memory
  bool ended_ = false;              // has clang come to the end of the text?
  CopiedMembers copied_;
  std::vector<RestrictedRange> restricted_;
  WrittenCasts casts_;
  Subscripts subscripts_;
};

// Reads a text for what clang says of its address spaces.
class SpacesAction : public clang::SyntaxOnlyAction {
 protected:
  // Variables in threadgroup memory stand in any function and in any block of it, and are what they are.
  void ExecuteAction() override {
    std::vector<clang::VarDecl*> variables;
    take_local_variables(&variables);
    getCompilerInstance().getPreprocessor().setTokenWatcher([&](const clang::Token&) {
      for (clang::VarDecl* one : std::exchange(variables, {}))
        if (one->isLocalVarDecl() && !one->getType()->isUndeducedType()) one->setInvalidDecl(false);
    });
    SyntaxOnlyAction::ExecuteAction();
    take_local_variables(nullptr);
  }
};

// With a consumer of its own for the arguments and for the text.
template <class MakeConsumer>
std::unique_ptr<clang::CompilerInstance> instance(const ReadRequest& request, MakeConsumer consumer) {
  std::vector<const char*> arguments;
  for (const auto& one : request.arguments) arguments.push_back(one.c_str());
  arguments.push_back(request.file.c_str());
  auto compiler = std::make_unique<clang::CompilerInstance>();
  clang::DiagnosticsEngine early(new clang::DiagnosticIDs(), new clang::DiagnosticOptions(), consumer());
  if (!clang::CompilerInvocation::CreateFromArgs(compiler->getInvocation(), arguments, early)) return nullptr;
  compiler->createDiagnostics(consumer());
  // The library's functions of any vector take it as an explicit object, in C++17 as well.
  compiler->getDiagnostics().setSeverity(clang::diag::err_cxx20_deducing_this, clang::diag::Severity::Ignored,
                                         clang::SourceLocation());
  return compiler;
}

std::unique_ptr<clang::CompilerInstance> instance(const ReadRequest& request, std::vector<Diagnostic>& errors,
                                                  LeftOut& left_out) {
  return instance(request, [&] { return collector(errors, request.library, left_out); });
}

// An expression that is not constant for want of a function constant's value.
void blame_unset(Diagnostic& error, const std::vector<UnsetConstant>& unset) {
  if (error.message.find("constant expression") == error.message.npos) return;
  for (const UnsetConstant& one : unset) {
    if (error.message.find("'" + one.name + "'") != error.message.npos)
      error = {one.place, one.complaint(), {}};
  }
}

// `text`: what is read in place of the file.
ReadText read_once(const ReadRequest& request, const std::string& text, llvm::LLVMContext& context,
                   std::vector<Diagnostic>& errors, MixedConditionals& mixed) {
  LeftOut left_out;
  const auto compiler =
      instance(request, [&] { return collector(errors, request.library, left_out, &mixed); });
  if (compiler == nullptr) return {};
  compiler->getPreprocessorOpts().addRemappedFile(
      request.file, llvm::MemoryBuffer::getMemBufferCopy(text, request.file).release());
  set_severities(compiler->getDiagnostics());
  Action action(&context, request, left_out, errors);
  const bool read_whole = compiler->ExecuteAction(action);
  for (Diagnostic& error : errors) blame_unset(error, action.unset());
  if (!read_whole || !errors.empty()) return {};
  ReadText read{action.takeModule(), action.unset()};
  copy_members_alone(*read.module, action.copied());
  note_ranges(*read.module, action.restricted());
  announce_addresses(*read.module, action.casts().of_addresses);
  if (request.saturating) saturate_conversions(*read.module, action.casts().to_integers, request.library);
  check_subscripts(*read.module, action.subscripts(), request.library);
  return read;
}

std::string content_of(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

}  // namespace

ReadText read_text(const ReadRequest& request, llvm::LLVMContext& context, std::vector<Diagnostic>& errors) {
  std::string text = content_of(request.file);
  if (request.is_metal) text = with_suffixes_of_clang(std::move(text));
  for (;;) {
    MixedConditionals mixed;
    ReadText read = read_once(request, text, context, errors, mixed);
    if (mixed.none()) return read;
    text = mixed.widened(text);
    errors.clear();
  }
}

bool write_precompiled(const ReadRequest& request, const std::string& output,
                       std::vector<Diagnostic>& errors) {
  LeftOut none;
  const auto compiler = instance(request, errors, none);
  if (compiler == nullptr) return false;
  compiler->getFrontendOpts().OutputFile = output;
  clang::GeneratePCHAction action;
  return compiler->ExecuteAction(action) && errors.empty();
}

bool preprocess_text(const ReadRequest& request, std::vector<Diagnostic>& errors) {
  LeftOut none;
  const auto compiler = instance(request, errors, none);
  if (compiler == nullptr) return false;
  compiler->getFrontendOpts().OutputFile = "-";
  compiler->getPreprocessorOutputOpts().ShowCPP = true;
  clang::PrintPreprocessedAction action;
  return compiler->ExecuteAction(action) && errors.empty();
}

bool check_syntax(const ReadRequest& request) {
  const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> plain(new clang::DiagnosticOptions());
  plain->ShowCarets = false;
  plain->ShowPresumedLoc = true;
  const auto compiler =
      instance(request, [&] { return new clang::TextDiagnosticPrinter(llvm::errs(), plain.get()); });
  SpacesAction action;
  return compiler != nullptr && compiler->ExecuteAction(action);
}

}  // namespace assay::metal
