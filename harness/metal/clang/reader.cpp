#include "harness/metal/clang/reader.hpp"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <array>

#include "harness/metal/clang/conditionals.hpp"
#include "harness/metal/clang/constants.hpp"
#include "harness/metal/clang/lengths.hpp"
#include "harness/metal/clang/members.hpp"
#include "harness/metal/clang/suffixes.hpp"

namespace assay::metal {
namespace {

Diagnostic::Place place_of(const clang::SourceManager& sources, clang::SourceLocation at) {
  const clang::PresumedLoc found = sources.getPresumedLoc(sources.getExpansionLoc(at));
  if (found.isInvalid()) return {};
  return {found.getFilename(), found.getLine(), found.getColumn()};
}

// Arrays have the length that the text says; clang takes others for an extension of its own.
constexpr std::array<unsigned, 4> kOfLengths = {
    clang::diag::ext_vla_cxx, clang::diag::ext_vla_cxx_in_gnu_mode, clang::diag::ext_vla_cxx_static_assert,
    clang::diag::ext_vla_cxx_in_gnu_mode_static_assert};
const std::string kNoLength = "the length of an array is no constant expression";

// Errors as data; warnings are the author's affair, and clang's notes are kept where they say how it came to
// the place of an error.
class Collector : public clang::DiagnosticConsumer {
 public:
  Collector(std::vector<Diagnostic>& errors, const std::string& library, MixedConditionals* mixed = nullptr)
      : errors_(errors), library_(library), mixed_(mixed) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    const auto place =
        info.hasSourceManager() ? place_of(info.getSourceManager(), info.getLocation()) : Diagnostic::Place();
    if (level >= clang::DiagnosticsEngine::Error) {
      if (mixed_ != nullptr) mixed_->note(info);
      const bool length = std::find(kOfLengths.begin(), kOfLengths.end(), info.getID()) != kOfLengths.end();
      errors_.push_back({place, length ? kNoLength : message.str().str(), {}});
    } else if (level == clang::DiagnosticsEngine::Note && !errors_.empty()) {
      if (leads_there(message)) errors_.back().asked_for_at.push_back(place);
      // Which part of an expression is none.
      auto& error = errors_.back().message;
      if ((error.ends_with("constant expression") || error == kNoLength) && says_why(message))
        error += ": " + message.str().str();
      // Why the text's own function is not the one.
      if (error.starts_with("no matching") && error.find(": ") == error.npos &&
          message.starts_with("candidate") && !place.file.starts_with(library_))
        error += ": " + message.str().str();
    }
  }

 private:
  static bool leads_there(llvm::StringRef note) {
    return note.starts_with("in instantiation of") || note.starts_with("while substituting") ||
           note.starts_with("in evaluation of") || note.starts_with("in call to") ||
           note.starts_with("while checking");
  }

  static bool says_why(llvm::StringRef note) {
    return note.contains("not allowed in a constant expression") ||
           note.contains("cannot be used in a constant expression") || note.contains(" is unknown") ||
           note.contains("is not a constant expression");
  }

  std::vector<Diagnostic>& errors_;
  const std::string& library_;
  MixedConditionals* const mixed_;
};

// Beside what clang makes of the tree, what we ask of it.
class Action : public clang::EmitLLVMOnlyAction {
 public:
  Action(llvm::LLVMContext* context, const ReadRequest& request, std::vector<Diagnostic>& errors)
      : EmitLLVMOnlyAction(context), request_(request), errors_(errors) {}

  /// What the tree was asked, once it was read.
  const CopiedMembers& copied() const { return copied_; }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    if (request_.is_metal) {
      all.push_back(lengths_of_any_type());
      all.push_back(constants_checker(request_.library, errors_));
    }
    all.push_back(members_reader(copied_));
    all.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }

 private:
  const ReadRequest& request_;
  std::vector<Diagnostic>& errors_;
  CopiedMembers copied_;
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

std::unique_ptr<clang::CompilerInstance> instance(const ReadRequest& request,
                                                  std::vector<Diagnostic>& errors) {
  return instance(request, [&] { return new Collector(errors, request.library); });
}

// `text`: what is read in place of the file.
std::unique_ptr<llvm::Module> read_once(const ReadRequest& request, const std::string& text,
                                        llvm::LLVMContext& context, std::vector<Diagnostic>& errors,
                                        MixedConditionals& mixed) {
  const auto compiler = instance(request, [&] { return new Collector(errors, request.library, &mixed); });
  if (compiler == nullptr) return nullptr;
  compiler->getPreprocessorOpts().addRemappedFile(
      request.file, llvm::MemoryBuffer::getMemBufferCopy(text, request.file).release());
  // A value that a function of the library gives is a constant to Metal, and none to C++.
  compiler->getDiagnostics().setSeverity(clang::diag::err_constexpr_var_requires_const_init,
                                         clang::diag::Severity::Ignored, clang::SourceLocation());
  for (const unsigned of_length : kOfLengths)
    compiler->getDiagnostics().setSeverity(of_length, clang::diag::Severity::Error, clang::SourceLocation());
  Action action(&context, request, errors);
  if (!compiler->ExecuteAction(action) || !errors.empty()) return nullptr;
  auto module = action.takeModule();
  copy_members_alone(*module, action.copied());
  return module;
}

std::string content_of(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

}  // namespace

std::unique_ptr<llvm::Module> read_text(const ReadRequest& request, llvm::LLVMContext& context,
                                        std::vector<Diagnostic>& errors) {
  std::string text = content_of(request.file);
  if (request.is_metal) text = with_suffixes_of_clang(std::move(text));
  for (;;) {
    MixedConditionals mixed;
    auto module = read_once(request, text, context, errors, mixed);
    if (mixed.none()) return module;
    text = mixed.widened(text);
    errors.clear();
  }
}

bool write_precompiled(const ReadRequest& request, const std::string& output,
                       std::vector<Diagnostic>& errors) {
  const auto compiler = instance(request, errors);
  if (compiler == nullptr) return false;
  compiler->getFrontendOpts().OutputFile = output;
  clang::GeneratePCHAction action;
  return compiler->ExecuteAction(action) && errors.empty();
}

bool preprocess_text(const ReadRequest& request, std::vector<Diagnostic>& errors) {
  const auto compiler = instance(request, errors);
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
  clang::SyntaxOnlyAction action;
  return compiler != nullptr && compiler->ExecuteAction(action);
}

}  // namespace assay::metal
