#include "harness/metal/ir/constants.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

namespace assay::metal {
namespace {

constexpr std::uint64_t kRoom = 65536;  // a multiple of every alignment
constexpr const char* kPlain = ".rodata.assay";
constexpr const char* kRelocated = ".data.rel.ro.assay";

// Names that the loader reads: no kernel comes to them.
bool is_of_loader(const llvm::Constant& one) {
  return !one.use_empty() && llvm::all_of(one.users(), [](const llvm::User* user) {
    if (const auto* table = llvm::dyn_cast<llvm::GlobalVariable>(user))
      return table->hasExternalLinkage() && table->getName().starts_with("assay_");
    return llvm::isa<llvm::Constant>(user) && is_of_loader(*llvm::cast<llvm::Constant>(user));
  });
}

}  // namespace

void make_room_between_constants(llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> constants;
  for (llvm::GlobalVariable& one : module.globals()) {
    if (one.isConstant() && one.hasInitializer() && one.hasLocalLinkage() && !one.hasSection() &&
        !is_of_loader(one))
      constants.push_back(&one);
  }
  if (constants.empty()) return;
  auto* const type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), kRoom);
  std::vector<llvm::GlobalValue*> kept;
  const auto room = [&](const char* section, llvm::GlobalVariable* next) {
    auto* const made = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                                                llvm::ConstantAggregateZero::get(type), "", next);
    made->setSection(section);
    kept.push_back(made);
  };
  unsigned literals = 0;
  for (llvm::GlobalVariable* one : constants) {
    if (one->hasPrivateLinkage()) {
      one->setName("string_literal." + std::to_string(literals++));
      one->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
    one->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::None);
    const char* const section = one->getInitializer()->needsRelocation() ? kRelocated : kPlain;
    one->setSection(section);
    room(section, one);
  }
  room(kPlain, nullptr);
  room(kRelocated, nullptr);
  llvm::appendToCompilerUsed(module, kept);
}

}  // namespace assay::metal
