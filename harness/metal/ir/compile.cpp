#include "harness/metal/ir/compile.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Operator.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/TailRecursionElimination.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "harness/metal/ir/calls.hpp"
#include "harness/metal/ir/constants.hpp"
#include "harness/metal/ir/contract.hpp"
#include "harness/metal/ir/marks.hpp"
#include "harness/metal/ir/notes.hpp"
#include "harness/metal/ir/own_variables.hpp"
#include "harness/metal/ir/regroup.hpp"
#include "harness/metal/ir/sites.hpp"
#include "harness/metal/ir/steps.hpp"
#include "harness/metal/ir/threadgroup_variables.hpp"
#include "harness/metal/ir/undefined.hpp"
#include "harness/metal/ir/watch.hpp"

namespace assay::metal {
namespace {

// What is not exported is this object's alone, so that LLVM may do with it as it likes.
void keep_to_itself(llvm::Module& module) {
  for (llvm::GlobalValue& one : module.global_values()) {
    if (one.isDeclaration() || one.hasLocalLinkage() || one.hasDefaultVisibility()) continue;
    if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&one)) object->setComdat(nullptr);
    one.setVisibility(llvm::GlobalValue::DefaultVisibility);
    one.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  for (llvm::Function& one : module) {  // templates that clang shows in spite of -fvisibility=hidden
    if (one.isDeclaration() || one.hasLocalLinkage() || !one.getName().starts_with("_Z")) continue;
    one.setComdat(nullptr);
    one.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

// What clang knows of aliases from the types of C++, which mean nothing in Metal. `structs`: where the
// members of what is copied lie, too.
void forget_types(llvm::Module& module, bool structs) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& one : llvm::instructions(function)) {
      one.setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
      if (structs) one.setMetadata(llvm::LLVMContext::MD_tbaa_struct, nullptr);
    }
  }
}

// Bits of addresses that alignment decides: those of clang's checks, `address & 3`.
class KnownAlignment : public llvm::PassInfoMixin<KnownAlignment> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    const llvm::DataLayout& layout = function.getParent()->getDataLayout();
    for (llvm::Instruction& one : llvm::instructions(function)) {
      if (one.getOpcode() != llvm::Instruction::And || !llvm::isa<llvm::PtrToIntOperator>(one.getOperand(0)))
        continue;
      const llvm::KnownBits known = llvm::computeKnownBits(&one, layout);
      if (known.isConstant())
        one.replaceAllUsesWith(llvm::ConstantInt::get(one.getType(), known.getConstant()));
    }
    return llvm::PreservedAnalyses::none();
  }
};

// All loops, as far as LLVM unrolls what asks for it.
void unroll_all(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::DominatorTree order(function);
    const llvm::LoopInfo loops(order);
    for (llvm::Loop* loop : loops.getLoopsInPreorder())
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full");
  }
}

class Optimiser {
 public:
  explicit Optimiser(llvm::TargetMachine& machine) : builder_(&machine) {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(graphs_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    // Behind the loops that are unrolled: elements of vectors are sums, too.
    builder_.registerScalarOptimizerLateEPCallback(
        [](llvm::FunctionPassManager& each, llvm::OptimizationLevel) {
          each.addPass(Regroup());
          each.addPass(llvm::DCEPass());
        });
    builder_.crossRegisterProxies(loops_, functions_, graphs_, modules_);
  }

  /// A function that gives nothing back and calls itself last is a loop: MLX's kernels have one.
  void make_loops_of_last_calls(llvm::Module& module) {
    for (llvm::Function& one : module) {
      const bool calls_itself =
          one.getReturnType()->isVoidTy() && llvm::any_of(one.users(), [&](const llvm::User* user) {
            const auto* const call = llvm::dyn_cast<llvm::CallInst>(user);
            return call != nullptr && call->getFunction() == &one && call->getCalledFunction() == &one;
          });
      if (!calls_itself) continue;
      llvm::FunctionPassManager all;
      all.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
      all.addPass(llvm::SimplifyCFGPass());
      all.addPass(llvm::TailCallElimPass());
      all.run(one, functions_);
    }
    functions_.clear();
  }

  /// Calls become the code that they call: of functions that ask for it, or of `all_of_them` that the library
  /// does not want to be called.
  void inline_calls(llvm::Module& module, bool all_of_them) {
    for (llvm::Function& one : module) {
      if (!all_of_them || one.isDeclaration() || one.hasFnAttribute(llvm::Attribute::NoInline) ||
          !one.hasLocalLinkage())
        continue;
      one.addFnAttr(llvm::Attribute::AlwaysInline);
    }
    llvm::ModulePassManager all;
    all.addPass(llvm::AlwaysInlinerPass(false));
    all.addPass(llvm::GlobalDCEPass());
    all.run(module, modules_);
    modules_.clear();
  }

  /// Variables whose address nobody has become values; what is never reached goes.
  void clean(llvm::Module& module) {
    llvm::FunctionPassManager each;
    each.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    // What is checked of a variable of the lane's own keeps it in memory, as long as it is not known to hold.
    each.addPass(KnownAlignment());
    each.addPass(llvm::InstSimplifyPass());
    each.addPass(llvm::SimplifyCFGPass());
    each.addPass(llvm::DCEPass());
    each.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    llvm::ModulePassManager all;
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
    all.run(module, modules_);
    modules_.clear();
  }

  /// What was put together to a word, and taken out of it again, is what it was.
  void take_words_apart(llvm::Module& module) {
    llvm::ModulePassManager all;
    all.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::InstCombinePass()));
    all.run(module, modules_);
    modules_.clear();
  }

  /// What is checked spends its time in the checker: the most that can be done takes longer than it saves.
  void optimise(llvm::Module& module, bool checked) {
    const auto level = checked ? llvm::OptimizationLevel::O2 : llvm::OptimizationLevel::O3;
    builder_.buildPerModuleDefaultPipeline(level).run(module, modules_);
  }

  /// What costs little and makes little to compile.
  void tidy(llvm::Module& module) {
    llvm::FunctionPassManager each;
    each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    each.addPass(llvm::EarlyCSEPass(true));
    each.addPass(llvm::InstCombinePass());
    each.addPass(llvm::SimplifyCFGPass());
    llvm::ModulePassManager all;
    all.addPass(llvm::AlwaysInlinerPass(false));
    all.addPass(llvm::GlobalDCEPass());
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
    all.run(module, modules_);
  }

 private:
  llvm::PassBuilder builder_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager graphs_;
  llvm::ModuleAnalysisManager modules_;
};

std::string object_of(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager all;
  all.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  if (machine.addPassesToEmitFile(all, out, nullptr, llvm::CodeGenFileType::ObjectFile)) return "";
  all.run(module);
  return bytes.str().str();
}

}  // namespace

namespace {

// Everything between clang's IR and LLVM's optimiser that is Metal's, and not C++'s.
void say_what_metal_means(llvm::Module& module, Optimiser& optimiser, const CompileRequest& request) {
  const bool checked = request.kind != CodeKind::fast;
  if (request.kind == CodeKind::watched) announce_own_variables(module, request.library);
  forget_types(module, !checked);
  optimiser.inline_calls(module, checked || request.compared);
  obey_pragmas(module, request.arithmetic, request.library);
  Sites sites(module, request.library);
  if (checked) watch_copies(module, sites);
  define_the_undefined(module, sites, checked);  // before anything reasons from it
  optimiser.clean(module);
  if (!checked && multiplies_bfloats(module)) optimiser.take_words_apart(module);
  change_arithmetic(module, request.arithmetic, request.library);
  write_notes(module);
  if (checked) watch_accesses(module, sites);
  if (request.count_steps) count_steps(module, request.library);
  forget_types(module, true);
  sites.finish(request.places);
}

}  // namespace

std::string compile_module(llvm::Module& module, llvm::TargetMachine& machine, const CompileRequest& request,
                           std::vector<Diagnostic>& errors) {
  const bool kernel = request.kind != CodeKind::reference;
  module.setSourceFileName("kernel");  // wherever its text lies, the same object
  Optimiser optimiser(machine);
  if (kernel) {
    place_threadgroup_variables(module);
    optimiser.make_loops_of_last_calls(module);
    errors = recursion_in(module, request.library);
  }
  if (!errors.empty()) return "";
  keep_to_itself(module);
  if (kernel) say_what_metal_means(module, optimiser, request);
  if (!kernel) Sites(module, request.library).finish(request.places);  // its loops
  if (request.unrolled) unroll_all(module);
  request.quick
      ? optimiser.tidy(module)
      : optimiser.optimise(module, request.kind == CodeKind::checked || request.kind == CodeKind::watched);
  errors = code_at_load_in(module, request.library);
  if (errors.empty() && kernel) errors = refused_calls_in(module, request.library);
  if (!errors.empty()) return "";
  if (kernel) make_room_between_constants(module);
  if (!request.places) llvm::StripDebugInfo(module);
  if (request.quick) machine.setOptLevel(llvm::CodeGenOptLevel::Less);
  return object_of(module, machine);
}

std::unique_ptr<llvm::TargetMachine> machine_for(const std::string& triple, const std::string& cpu,
                                                 const std::vector<std::string>& features) {
  std::string why, all;
  const auto* const target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (target == nullptr) return nullptr;
  for (const auto& one : features) all += (all.empty() ? "" : ",") + one;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, all, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Default));
}

}  // namespace assay::metal
