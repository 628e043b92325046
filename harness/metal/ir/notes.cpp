#include "harness/metal/ir/notes.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace assay::metal {
namespace {

// The table between the symbols "..._begin" and "..._end": a record for each call.
void write_table(llvm::Module& module, const char* function, const std::string& table) {
  std::vector<llvm::CallInst*> calls;
  std::vector<std::uint32_t> words;
  if (llvm::Function* const noting = module.getFunction(function)) {
    for (llvm::User* user : noting->users()) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(user)) calls.push_back(call);
    }
  }
  for (llvm::CallInst* call : calls) {
    for (const llvm::Use& argument : call->args())
      words.push_back(static_cast<std::uint32_t>(llvm::cast<llvm::ConstantInt>(argument)->getZExtValue()));
    call->eraseFromParent();
  }
  auto& context = module.getContext();
  auto* const content = llvm::ConstantDataArray::get(context, words);
  auto* const records = new llvm::GlobalVariable(module, content->getType(), true,
                                                 llvm::GlobalValue::InternalLinkage, content, table);
  const auto points_at = [&](const std::string& name, std::uint64_t word) {
    llvm::GlobalVariable* const pointer = module.getNamedGlobal(name);
    if (pointer == nullptr) return;
    pointer->setInitializer(
        llvm::ConstantExpr::getGetElementPtr(llvm::Type::getInt32Ty(context), records,
                                             llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), word)));
  };
  points_at(table + "_begin", 0);
  points_at(table + "_end", words.size());
}

}  // namespace

void write_notes(llvm::Module& module) {
  write_table(module, "assay_note_slot", "assay_slots");
  write_table(module, "assay_note_limit", "assay_limits");
}

}  // namespace assay::metal
