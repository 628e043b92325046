#include "harness/metal/clang/reader.hpp"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/TargetParser/Host.h>

#include "harness/metal/clang/constants.hpp"

namespace assay::metal {
namespace {

Diagnostic::Place place_of(const clang::SourceManager& sources, clang::SourceLocation at) {
  const clang::PresumedLoc found = sources.getPresumedLoc(sources.getExpansionLoc(at));
  if (found.isInvalid()) return {};
  return {found.getFilename(), found.getLine(), found.getColumn()};
}

// Errors as data; warnings are the author's affair, and clang's notes are kept where they say how it came to
// the place of an error.
class Collector : public clang::DiagnosticConsumer {
 public:
  explicit Collector(std::vector<Diagnostic>& errors) : errors_(errors) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    const auto place =
        info.hasSourceManager() ? place_of(info.getSourceManager(), info.getLocation()) : Diagnostic::Place();
    if (level >= clang::DiagnosticsEngine::Error) {
      errors_.push_back({place, message.str().str(), {}});
    } else if (level == clang::DiagnosticsEngine::Note && !errors_.empty()) {
      if (leads_there(message)) errors_.back().asked_for_at.push_back(place);
      // Which part of an expression is none.
      auto& error = errors_.back().message;
      if (error.ends_with("constant expression") && says_why(message)) error += ": " + message.str().str();
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
           note.contains("cannot be used in a constant expression") ||
           note.contains("is not a constant expression");
  }

  std::vector<Diagnostic>& errors_;
};

// Beside what clang makes of the tree, what we ask of it.
class Action : public clang::EmitLLVMOnlyAction {
 public:
  Action(llvm::LLVMContext* context, std::string library, std::vector<Diagnostic>& errors)
      : EmitLLVMOnlyAction(context), library_(std::move(library)), errors_(errors) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> all;
    all.push_back(constants_checker(library_, errors_));
    all.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(all));
  }

 private:
  std::string library_;
  std::vector<Diagnostic>& errors_;
};

std::unique_ptr<clang::CompilerInstance> instance(const ReadRequest& request,
                                                  std::vector<Diagnostic>& errors) {
  std::vector<std::string> all = request.arguments;
  all.insert(all.end(), {"-triple", llvm::sys::getDefaultTargetTriple(), "-target-cpu", request.cpu});
  for (const auto& feature : request.cpu_features) all.insert(all.end(), {"-target-feature", feature});
  all.push_back(request.file);
  std::vector<const char*> pointers;
  pointers.reserve(all.size());
  for (const auto& one : all) pointers.push_back(one.c_str());
  auto compiler = std::make_unique<clang::CompilerInstance>();
  clang::DiagnosticsEngine early(new clang::DiagnosticIDs(), new clang::DiagnosticOptions(),
                                 new Collector(errors));
  if (!clang::CompilerInvocation::CreateFromArgs(compiler->getInvocation(), pointers, early)) return nullptr;
  compiler->createDiagnostics(new Collector(errors));
  return compiler;
}

}  // namespace

std::unique_ptr<llvm::Module> read_text(const ReadRequest& request, llvm::LLVMContext& context,
                                        std::vector<Diagnostic>& errors) {
  const auto compiler = instance(request, errors);
  if (compiler == nullptr) return nullptr;
  // A value that a function of the library gives is a constant to Metal, and none to C++.
  compiler->getDiagnostics().setSeverity(clang::diag::err_constexpr_var_requires_const_init,
                                         clang::diag::Severity::Ignored, clang::SourceLocation());
  Action action(&context, request.library, errors);
  if (!compiler->ExecuteAction(action) || !errors.empty()) return nullptr;
  return action.takeModule();
}

bool write_precompiled(const ReadRequest& request, const std::string& output,
                       std::vector<Diagnostic>& errors) {
  const auto compiler = instance(request, errors);
  if (compiler == nullptr) return false;
  compiler->getFrontendOpts().OutputFile = output;
  clang::GeneratePCHAction action;
  return compiler->ExecuteAction(action) && errors.empty();
}

}  // namespace assay::metal
