#include "harness/metal/clang/instance.hpp"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>

namespace assay::metal {

std::unique_ptr<clang::CompilerInstance> instance_for(
    const std::vector<std::string>& arguments, const std::string& file,
    const std::function<clang::DiagnosticConsumer*()>& consumer) {
  std::vector<const char*> all;
  for (const auto& one : arguments) all.push_back(one.c_str());
  all.push_back(file.c_str());
  auto compiler = std::make_unique<clang::CompilerInstance>();
  clang::DiagnosticsEngine early(new clang::DiagnosticIDs(), new clang::DiagnosticOptions(), consumer());
  if (!clang::CompilerInvocation::CreateFromArgs(compiler->getInvocation(), all, early)) return nullptr;
  compiler->createDiagnostics(consumer());
  // The library's functions of any vector take it as an explicit object, in C++17 as well.
  compiler->getDiagnostics().setSeverity(clang::diag::err_cxx20_deducing_this, clang::diag::Severity::Ignored,
                                         clang::SourceLocation());
  return compiler;
}

void read_instead(clang::CompilerInstance& compiler, const std::string& file, const std::string& text) {
  compiler.getPreprocessorOpts().addRemappedFile(file,
                                                 llvm::MemoryBuffer::getMemBufferCopy(text, file).release());
}

}  // namespace assay::metal
