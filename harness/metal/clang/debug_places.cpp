#include "harness/metal/clang/debug_places.hpp"

#include <llvm/IR/Constants.h>

namespace assay::metal {

std::string file_name(const llvm::DILocation& at) {
  std::string name = at.getFilename().str();
  if (name.empty() || name.front() == '/' || at.getDirectory().empty()) return name;
  return at.getDirectory().str() + "/" + name;
}

void write_text_notes(llvm::Module& module, const char* name, const std::vector<TextNote>& notes) {
  if (notes.empty()) return;
  llvm::LLVMContext& context = module.getContext();
  llvm::NamedMDNode* const list = module.getOrInsertNamedMetadata(name);
  for (const TextNote& one : notes) {
    std::vector<llvm::Metadata*> parts = {llvm::MDString::get(context, one.file)};
    for (const unsigned number : one.numbers)
      parts.push_back(
          llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), number)));
    list->addOperand(llvm::MDNode::get(context, parts));
  }
}

std::vector<TextNote> text_notes(const llvm::Module& module, const char* name) {
  std::vector<TextNote> notes;
  const llvm::NamedMDNode* const list = module.getNamedMetadata(name);
  if (list == nullptr) return notes;
  for (const llvm::MDNode* one : list->operands()) {
    TextNote note{llvm::cast<llvm::MDString>(one->getOperand(0))->getString().str(), {}};
    for (unsigned i = 1; i < one->getNumOperands(); ++i)
      note.numbers.push_back(static_cast<unsigned>(
          llvm::mdconst::extract<llvm::ConstantInt>(one->getOperand(i))->getZExtValue()));
    notes.push_back(std::move(note));
  }
  return notes;
}

bool is_one_of(const std::set<Diagnostic::Place>& places, const llvm::DILocation* at) {
  if (at == nullptr || places.empty()) return false;
  return places.contains({at->getFilename().str(), at->getLine(), at->getColumn()}) ||
         places.contains({file_name(*at), at->getLine(), at->getColumn()});
}

}  // namespace assay::metal
