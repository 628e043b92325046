#include "harness/metal/compiler/object.hpp"

#include <lld/Common/Driver.h>
#include <llvm/Support/TargetSelect.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

LLD_HAS_DRIVER(elf)

namespace assay::metal {
namespace {

bool write(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  if ((out << content).flush()) return true;
  std::fprintf(stderr, "cannot write %s: %s\n", path.c_str(), std::strerror(errno));
  return false;
}

std::string words_of(const Diagnostic::Place& place) {
  return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
}

bool link(const std::string& object, const std::string& output) {
  const std::vector<const char*> arguments = {
      "ld.lld",      "-shared",     "-Bsymbolic",  "--no-undefined-version", "-z", "now",
      "-z",          "noexecstack", "--threads=1", "--build-id=none",        "-o", output.c_str(),
      object.c_str()};
  return lld::lldMain(arguments, llvm::nulls(), llvm::errs(), {{lld::Gnu, &lld::elf::link}}).retCode == 0;
}

// What code that is left asks for and nobody has given a value.
void refuse_unset(const llvm::Module& module, const std::vector<UnsetConstant>& unset,
                  std::vector<Diagnostic>& errors) {
  for (const UnsetConstant& one : unset) {
    const llvm::GlobalVariable* const used = module.getNamedGlobal(one.symbol());
    if (used == nullptr || used->use_empty()) continue;
    errors.push_back({one.place, one.complaint(), {}});
  }
}

bool compile_one(ReadRequest text, const CompileRequest& how, llvm::TargetMachine& machine,
                 const std::string& file) {
  text.file = file;
  text.is_metal = how.kind != CodeKind::reference;
  std::vector<Diagnostic> errors;
  llvm::LLVMContext context;
  const ReadText read = read_text(text, context, errors);
  std::string object = read.module == nullptr ? "" : compile_module(*read.module, machine, how, errors);
  if (!object.empty() && errors.empty()) refuse_unset(*read.module, read.unset, errors);
  if (!errors.empty()) object.clear();
  if (object.empty()) {
    write(file + ".err", words_of(errors));
    return false;
  }
  return write(file + ".o", object) && link(file + ".o", file + ".so");
}

}  // namespace

std::string words_of(const std::vector<Diagnostic>& errors) {
  std::string words;
  for (const auto& error : errors) {
    for (const auto& place : error.asked_for_at) words += words_of(place) + "  required from here\n";
    words += words_of(error.place) + "error: " + error.message + "\n";
  }
  return words;
}

bool compile_objects(const ReadRequest& how_to_read, const CompileRequest& how, const Processor& processor,
                     const std::vector<std::string>& files) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  const auto machine = machine_for(processor.triple, processor.name, processor.features);
  if (files.size() == 1) return compile_one(how_to_read, how, *machine, files[0]);
  bool all = true;
  for (const auto& file : files) {
    const pid_t child = fork();
    if (child == 0) _exit(compile_one(how_to_read, how, *machine, file) ? 0 : 1);
    int status = 0;
    all = child > 0 && waitpid(child, &status, 0) == child && status == 0 && all;
  }
  return all;
}

}  // namespace assay::metal
