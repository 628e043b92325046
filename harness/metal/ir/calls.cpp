#include "harness/metal/ir/calls.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdlib>
#include <set>

namespace assay::metal {
namespace {

using namespace llvm;

// The innermost place that is none of the library's.
Diagnostic::Place place_of(const DILocation* at, const std::string& library) {
  for (; at != nullptr; at = at->getInlinedAt()) {
    std::string file = at->getFilename().str();
    if (file.starts_with(library) || at->getLine() == 0) continue;
    return {std::move(file), at->getLine(), at->getColumn()};
  }
  return {};
}

Diagnostic::Place place_of(const Function& function, const std::string& library) {
  const DISubprogram* const about = function.getSubprogram();
  if (about == nullptr || about->getFilename().starts_with(library)) return {};
  return {about->getFilename().str(), about->getLine(), 0};
}

std::string name_of(const Function& function) { return demangle(function.getName().str()); }

// llvm.used, llvm.compiler.used
bool is_list_of_used(const ConstantArray& list) {
  return llvm::all_of(list.users(), [](const User* user) {
    const auto* const variable = dyn_cast<GlobalVariable>(user);
    return variable != nullptr && variable->getSection() == "llvm.metadata";
  });
}

// A use of a function as a value; null where it is called at most.
const User* value_use(const Function& function) {
  for (const Use& use : function.uses()) {
    const User* const user = use.getUser();
    if (const auto* call = dyn_cast<CallBase>(user); call != nullptr && call->isCallee(&use)) continue;
    if (isa<BlockAddress>(user)) continue;
    if (const auto* list = dyn_cast<ConstantArray>(user); list != nullptr && is_list_of_used(*list)) continue;
    return user;
  }
  return nullptr;
}

// Without its scopes and parameters.
std::string plain_name_of(const Function& function) {
  const std::string symbol = function.getName().str();  // into which the name points
  ItaniumPartialDemangler name;
  if (name.partialDemangle(symbol.c_str()) || !name.isFunction()) return name_of(function);
  char* const text = name.getFunctionBaseName(nullptr, nullptr);
  const std::string plain = text == nullptr ? name_of(function) : text;
  std::free(text);
  return plain;
}

}  // namespace

std::vector<Diagnostic> recursion_in(const Module& module, const std::string& library) {
  std::vector<Diagnostic> found;
  std::set<const Function*> done, under_way;
  struct Step {
    const Function* function;
    const_inst_iterator next, end;
  };
  for (const Function& root : module) {
    std::vector<Step> way;
    const auto enter = [&](const Function& one) {
      if (one.isDeclaration() || !done.insert(&one).second) return;
      under_way.insert(&one);
      way.push_back({&one, inst_begin(one), inst_end(one)});
    };
    enter(root);
    while (!way.empty()) {
      Step& step = way.back();
      if (step.next == step.end) {
        under_way.erase(step.function);
        way.pop_back();
        continue;
      }
      const auto* const call = dyn_cast<CallBase>(&*step.next++);
      const Function* const called = call != nullptr ? call->getCalledFunction() : nullptr;
      if (called == nullptr) continue;
      if (under_way.contains(called)) {
        found.push_back(
            {place_of(call->getDebugLoc().get(), library),
             "`" + plain_name_of(*called) + "` calls itself" +
                 (called == step.function ? "" : " by way of `" + plain_name_of(*step.function) + "`") +
                 "; Metal has no recursion",
             {}});
        return found;
      }
      enter(*called);
    }
  }
  return found;
}

std::vector<Diagnostic> refused_calls_in(const Module& module, const std::string& library) {
  std::vector<Diagnostic> found, addresses;  // calls first, which say more
  for (const Function& function : module) {
    for (const Instruction& one : instructions(function)) {
      const auto* const call = dyn_cast<CallBase>(&one);
      if (call == nullptr || call->isInlineAsm()) continue;
      const Function* const called = call->getCalledFunction();
      if (called == nullptr) {
        found.push_back({place_of(call->getDebugLoc().get(), library),
                         "a function is called through a pointer; Metal has no pointers to functions",
                         {}});
      } else if (called->hasFnAttribute("dontcall-error")) {
        found.push_back({place_of(call->getDebugLoc().get(), library),
                         "declared with attribute error: " +
                             called->getFnAttribute("dontcall-error").getValueAsString().str(),
                         {}});
      }
    }
    if (function.isDeclaration() || value_use(function) == nullptr) continue;
    addresses.push_back(
        {place_of(function, library),
         "the address of `" + name_of(function) + "` is used as a value; Metal has no pointers to functions",
         {}});
  }
  found.insert(found.end(), addresses.begin(), addresses.end());
  return found;
}

std::vector<Diagnostic> code_at_load_in(const Module& module, const std::string& library) {
  std::vector<Diagnostic> found;
  const GlobalVariable* const list = module.getNamedGlobal("llvm.global_ctors");
  if (list == nullptr || !list->hasInitializer() || list->getInitializer()->isNullValue()) return found;
  for (const Function& function : module) {
    for (const Instruction& one : instructions(function)) {
      const auto* const store = dyn_cast<StoreInst>(&one);
      const auto* const to =
          store != nullptr ? dyn_cast<GlobalVariable>(store->getPointerOperand()->stripInBoundsOffsets())
                           : nullptr;
      const StringRef name = function.getName();
      const bool at_load = name.contains("_GLOBAL__sub_I_") || name.contains("__cxx_global_var_init");
      if (to == nullptr || !at_load) continue;
      found.push_back({place_of(store->getDebugLoc().get(), library),
                       "assay: the value of `" + demangle(to->getName().str()) +
                           "` is not a constant expression, and no code runs before the kernel to compute it",
                       {}});
    }
  }
  if (found.empty()) found.push_back({{}, "assay: a variable has code that runs when it is loaded", {}});
  return found;
}

}  // namespace assay::metal
