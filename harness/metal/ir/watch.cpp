#include "harness/metal/ir/watch.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <set>

#include "harness/metal/ir/marks.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

class Watcher {
 public:
  Watcher(Module& module, Sites& sites) : module_(module), sites_(sites) {}

  void run() {
    if (const Function* const begins = module_.getFunction("assay_private_begins")) {
      for (const User* user : begins->users()) {
        if (const auto* call = dyn_cast<CallBase>(user))
          watched_.insert(call->getArgOperand(0)->stripInBoundsOffsets());
      }
    }
    for (Function& function : module_) {
      if (function.isDeclaration() || is_quiet(function)) continue;
      std::vector<Instruction*> all;
      for (Instruction& one : instructions(function)) all.push_back(&one);
      for (Instruction* one : all) take(*one);
    }
  }

 private:
  void take(Instruction& one) {
    const DataLayout& layout = module_.getDataLayout();
    if (auto* load = dyn_cast<LoadInst>(&one)) {
      announce(one, load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), false,
               load->getAlign());
    } else if (auto* store = dyn_cast<StoreInst>(&one)) {
      announce(one, store->getPointerOperand(), layout.getTypeStoreSize(store->getValueOperand()->getType()),
               true, store->getAlign());
    } else if (auto* move = dyn_cast<MemTransferInst>(&one)) {
      announce_copied(*move, move->getSource(), false);
      announce_copied(*move, move->getDest(), true);
    } else if (auto* set = dyn_cast<MemSetInst>(&one)) {
      announce_range(one, set->getDest(), set->getLength(), true);
    }
  }

  // Does what lies there provably belong to the lane, or is it a constant's?
  bool is_known(Value* address, std::uint64_t bytes) const {
    const DataLayout& layout = module_.getDataLayout();
    APInt offset(64, 0);
    const Value* const base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
    std::uint64_t size = 0;
    if (watched_.contains(base)) return false;
    if (const auto* own = dyn_cast<AllocaInst>(base)) {
      const auto found = own->getAllocationSize(layout);
      size = found && !found->isScalable() ? found->getFixedValue() : 0;
    } else if (const auto* global = dyn_cast<GlobalVariable>(base)) {
      // A constant that a library function computes is one when it is optimised.
      if (!global->hasLocalLinkage() && !global->getName().starts_with("assay_")) return false;
      size = layout.getTypeAllocSize(global->getValueType());
    } else if (const auto* passed = dyn_cast<Argument>(base); passed != nullptr && passed->hasByValAttr()) {
      size = layout.getTypeAllocSize(passed->getParamByValType());
    }
    return !offset.isNegative() && offset.getZExtValue() + bytes <= size;
  }

  // The checker's records are of two bytes where all accesses say that they begin and end between two.
  void announce(Instruction& one, Value* address, std::uint64_t bytes, bool write,
                Align alignment = Align(16)) {
    if (is_known(address, bytes)) return;
    if (!isPowerOf2_64(bytes) || bytes > 16 || (bytes > 1 && alignment == Align(1)))
      return call(one, write ? "assay_write_range" : "assay_read_range", address,
                  ConstantInt::get(Type::getInt64Ty(module_.getContext()), bytes));
    call(one, (write ? "assay_write" : "assay_read") + std::to_string(bytes), address, nullptr);
  }

  // Of a struct its members, each at its place: nobody writes what is between them.
  void announce_copied(MemTransferInst& move, Value* address, bool write) {
    const MDNode* const members = move.getMetadata(LLVMContext::MD_tbaa_struct);
    if (members == nullptr || members->getNumOperands() <= 3)
      return announce_range(move, address, move.getLength(), write);
    const auto* const length = dyn_cast<ConstantInt>(move.getLength());
    const std::uint64_t all = length == nullptr ? ~std::uint64_t{0} : length->getZExtValue();
    IRBuilder<> b(&move);
    for (unsigned i = 0; i + 2 < members->getNumOperands(); i += 3) {
      const auto number = [&](unsigned at) {
        return mdconst::extract<ConstantInt>(members->getOperand(at))->getZExtValue();
      };
      const std::uint64_t offset = number(i);
      if (offset >= all) continue;  // of a copy that LLVM has taken apart
      announce(move, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, offset),
               std::min(number(i + 1), all - offset), write);
    }
  }

  void announce_range(Instruction& one, Value* address, Value* length, bool write) {
    if (const auto* bytes = dyn_cast<ConstantInt>(length)) {
      if (!bytes->isZero()) announce(one, address, bytes->getZExtValue(), write);
      return;
    }
    call(one, write ? "assay_write_range" : "assay_read_range", address, length);
  }

  void call(Instruction& one, const std::string& name, Value* address, Value* length) {
    IRBuilder<> b(&one);
    std::vector<Value*> arguments = {address};
    if (length != nullptr) arguments.push_back(b.CreateZExtOrTrunc(length, b.getInt64Ty()));
    arguments.push_back(sites_.at(one.getDebugLoc()));
    std::vector<Type*> types;
    for (const Value* argument : arguments) types.push_back(argument->getType());
    b.CreateCall(module_.getOrInsertFunction(name, FunctionType::get(b.getVoidTy(), types, false)),
                 arguments);
  }

  Module& module_;
  Sites& sites_;
  std::set<const Value*> watched_;  // variables of the lane's own that begin without a value
};

// Of a copy of a whole object the type is not known. What lies at multiples of 16 has vectors of at least 4
// bytes an element, what lies at multiples of 8 of at least 2; more is not asked for of vectors.
void align(MemTransferInst& move, Value* address, MaybeAlign given, Sites& sites) {
  const std::uint64_t wanted = !given ? 1 : given->value() >= 16 ? 4 : given->value() == 8 ? 2 : 1;
  const auto* const bytes = dyn_cast<ConstantInt>(move.getLength());
  if (wanted == 1 || bytes == nullptr || isa<AllocaInst>(address)) return;
  Module& module = *move.getModule();
  IRBuilder<> b(&move);
  Value* const rest = b.CreateAnd(b.CreatePtrToInt(address, b.getInt64Ty()), b.getInt64(wanted - 1));
  Instruction* const says =
      SplitBlockAndInsertIfThen(b.CreateICmpNE(rest, b.getInt64(0)), move.getIterator(), false,
                                MDBuilder(module.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(says);
  b.CreateCall(
      module.getOrInsertFunction("assay_misaligned_copy", b.getVoidTy(), b.getPtrTy(), b.getInt64Ty(),
                                 b.getInt64Ty(), b.getPtrTy()),
      {address, b.getInt64(bytes->getZExtValue()), b.getInt64(wanted), sites.at(move.getDebugLoc())});
}

// A copy of as many bytes as an access may have is one, whatever its elements: as a word, which nobody takes
// apart. Of a struct its members count.
void make_one_access(MemTransferInst& move) {
  const auto* const bytes = dyn_cast<ConstantInt>(move.getLength());
  const MDNode* const members = move.getMetadata(LLVMContext::MD_tbaa_struct);
  if (bytes == nullptr || move.isVolatile() || (members != nullptr && members->getNumOperands() > 3)) return;
  const std::uint64_t size = bytes->getZExtValue();
  if (!isPowerOf2_64(size) || size > 16) return;
  IRBuilder<> b(&move);
  Value* const word = b.CreateAlignedLoad(b.getIntNTy(static_cast<unsigned>(8 * size)), move.getRawSource(),
                                          move.getSourceAlign().valueOrOne());
  b.CreateAlignedStore(word, move.getRawDest(), move.getDestAlign().valueOrOne());
  move.eraseFromParent();
}

}  // namespace

void watch_copies(llvm::Module& module, Sites& sites) {
  for (Function& function : module) {
    if (function.isDeclaration() || is_quiet(function)) continue;
    std::vector<MemTransferInst*> moves;
    for (Instruction& one : instructions(function))
      if (auto* move = dyn_cast<MemTransferInst>(&one)) moves.push_back(move);
    for (MemTransferInst* move : moves) {
      align(*move, move->getSource(), move->getSourceAlign(), sites);
      align(*move, move->getDest(), move->getDestAlign(), sites);
      make_one_access(*move);
    }
  }
}

void watch_accesses(llvm::Module& module, Sites& sites) { Watcher(module, sites).run(); }

}  // namespace assay::metal
