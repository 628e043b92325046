// What LLVM's and its linker's libraries name and kernels do not need: processors other than this machine's,
// and extensions of the optimiser. With these, a third of the program is left out.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassPlugin.h>

#if defined(__aarch64__)
#define LLVMInitializeAArch64Target assay_own_target
#define LLVMInitializeAArch64TargetInfo assay_own_target_info
#define LLVMInitializeAArch64TargetMC assay_own_target_code
#define LLVMInitializeAArch64AsmPrinter assay_own_printer
#define LLVMInitializeAArch64AsmParser assay_own_parser
#else
#define LLVMInitializeX86Target assay_own_target
#define LLVMInitializeX86TargetInfo assay_own_target_info
#define LLVMInitializeX86TargetMC assay_own_target_code
#define LLVMInitializeX86AsmPrinter assay_own_printer
#define LLVMInitializeX86AsmParser assay_own_parser
#endif

extern "C" {
#define LLVM_TARGET(name)                    \
  void LLVMInitialize##name##Target() {}     \
  void LLVMInitialize##name##TargetInfo() {} \
  void LLVMInitialize##name##TargetMC() {}
#include <llvm/Config/Targets.def>
#define LLVM_ASM_PRINTER(name) \
  void LLVMInitialize##name##AsmPrinter() {}
#include <llvm/Config/AsmPrinters.def>
#define LLVM_ASM_PARSER(name) \
  void LLVMInitialize##name##AsmParser() {}
#include <llvm/Config/AsmParsers.def>
}

#define HANDLE_EXTENSION(name)                                              \
  llvm::PassPluginLibraryInfo get##name##PluginInfo() {                     \
    return {LLVM_PLUGIN_API_VERSION, #name, "", [](llvm::PassBuilder&) {}}; \
  }
#include <llvm/Support/Extension.def>
