// assay-compiler: one kernel's C++ text to a shared object, confined by whoever starts it. What is wrong with
// the text is said on standard error, a line each:
//   FILE:LINE:COLUMN: required from here
//   FILE:LINE:COLUMN: error: MESSAGE
#include <lld/Common/Driver.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "harness/metal/ir/compile.hpp"

LLD_HAS_DRIVER(elf)

namespace {

using assay::metal::Diagnostic;

void say(const std::vector<Diagnostic>& errors) {
  for (const auto& error : errors) {
    for (const auto& place : error.asked_for_at)
      std::fprintf(stderr, "%s:%u:%u:   required from here\n", place.file.c_str(), place.line, place.column);
    std::fprintf(stderr, "%s:%u:%u: error: %s\n", error.place.file.c_str(), error.place.line,
                 error.place.column, error.message.c_str());
  }
}

// Everything that the processor has, but for what rounds halves otherwise than one operation at a time.
std::vector<std::string> features_of_processor() {
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const bool wanted = feature.second && feature.first() != "avx512fp16";
    features.push_back((wanted ? "+" : "-") + feature.first().str());
  }
  std::sort(features.begin(), features.end());
  return features;
}

bool link(const std::string& object, const std::string& output) {
  const std::vector<const char*> arguments = {
      "ld.lld",      "-shared",     "-Bsymbolic",  "--no-undefined-version", "-z", "now",
      "-z",          "noexecstack", "--threads=1", "--build-id=none",        "-o", output.c_str(),
      object.c_str()};
  return lld::lldMain(arguments, llvm::nulls(), llvm::errs(), {{lld::Gnu, &lld::elf::link}}).retCode == 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compiles a kernel that was made C++", "assay-compiler");
  assay::metal::ReadRequest text;
  assay::metal::CompileRequest how;
  std::string output;
  app.add_option("file", text.file)->required();
  app.add_option("--cc1", text.arguments, "an argument of clang")->allow_extra_args(false);
  app.add_option("--library", how.library)->required();
  app.add_option("-o", output)->required();
  app.add_flag("--checked", how.checked);
  bool header = false;
  app.add_flag("--header", header, "precompile it");
  CLI11_PARSE(app, argc, argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  text.library = how.library;
  text.cpu = llvm::sys::getHostCPUName().str();
  text.cpu_features = features_of_processor();
  std::vector<Diagnostic> errors;
  if (header) {
    const bool done = assay::metal::write_precompiled(text, output, errors);
    say(errors);
    return done ? 0 : 1;
  }
  llvm::LLVMContext context;
  const auto module = assay::metal::read_text(text, context, errors);
  std::string object;
  if (module != nullptr) {
    const auto machine = assay::metal::machine_for(text.cpu, text.cpu_features);
    object = assay::metal::compile_module(*module, *machine, how, errors);
  }
  say(errors);
  if (object.empty()) return 1;
  const std::string unlinked = output + ".o";
  std::ofstream(unlinked, std::ios::binary) << object;
  return link(unlinked, output) ? 0 : 1;
}
