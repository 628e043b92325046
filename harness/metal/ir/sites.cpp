#include "harness/metal/ir/sites.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "harness/metal/clang/debug_places.hpp"

namespace assay::metal {
namespace {

constexpr const char* kTable = "assay_sites";
constexpr const char* kNames = "assay_site_files";
constexpr const char* kLoops = "assay_loops";

// As debug information names it (file_name()).
std::string with_folder(const llvm::Module& module, const std::string& file) {
  const auto units = module.debug_compile_units();
  if (file.empty() || file.front() == '/' || units.begin() == units.end()) return file;
  return (*units.begin())->getDirectory().str() + "/" + file;
}

}  // namespace

Sites::Sites(llvm::Module& module, std::string library)
    : module_(module),
      library_(std::move(library)),
      table_(new llvm::GlobalVariable(module, llvm::Type::getInt32Ty(module.getContext()), true,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, kTable)) {
  file_of("");
  records_.push_back({});  // of what has no place
  numbers_[{}] = 1;
}

llvm::Constant* Sites::at(const llvm::DebugLoc& where) {
  auto& context = module_.getContext();
  const std::uint32_t number = std::max(1u, number_of(where.get()));
  return llvm::ConstantExpr::getGetElementPtr(
      llvm::Type::getInt8Ty(context), table_,
      llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), (number - 1) * sizeof(Record)));
}

std::uint32_t Sites::number_of(const llvm::DILocation* where) {
  if (where == nullptr) return 0;
  const std::uint32_t outer = number_of(where->getInlinedAt());
  const std::string name = file_name(*where);
  if (name.starts_with(library_) || where->getLine() == 0) return outer;
  const Record record{file_of(name), where->getLine(), where->getColumn(), outer};
  const auto [known, added] = numbers_.try_emplace(record, static_cast<std::uint32_t>(records_.size() + 1));
  if (added) records_.push_back(record);
  return known->second;
}

std::uint32_t Sites::file_of(const std::string& name) {
  const auto [known, added] = files_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (added) names_ += name + '\0';
  return known->second;
}

llvm::GlobalVariable* Sites::loops() {
  std::vector<std::uint32_t> words;
  for (const TextNote& one : text_notes(module_, kTextLoops)) {
    words.push_back(file_of(with_folder(module_, one.file)));
    words.insert(words.end(), one.numbers.begin(), one.numbers.end());
  }
  auto* const table = llvm::ConstantDataArray::get(module_.getContext(), words);
  return new llvm::GlobalVariable(module_, table->getType(), true, llvm::GlobalValue::ExternalLinkage, table,
                                  kLoops);
}

void Sites::finish(bool places) {
  auto& context = module_.getContext();
  std::vector<llvm::GlobalValue*> kept;
  if (places) kept.push_back(loops());
  if (!places) {
    records_.assign(records_.size(), Record());
    names_ = std::string(1, '\0');
  }
  std::vector<std::uint32_t> words;
  for (const Record& one : records_) words.insert(words.end(), {one.file, one.line, one.column, one.outer});
  auto* const table = llvm::ConstantDataArray::get(context, words);
  // First in the object, so that its distance from the beginning is a short number.
  auto* const defined =
      new llvm::GlobalVariable(module_, table->getType(), true, llvm::GlobalValue::ExternalLinkage, table, "",
                               &*module_.global_begin());
  table_->replaceAllUsesWith(defined);
  table_->eraseFromParent();
  defined->setName(kTable);
  auto* const text = llvm::ConstantDataArray::getString(context, names_, false);
  auto* const names = new llvm::GlobalVariable(module_, text->getType(), true,
                                               llvm::GlobalValue::ExternalLinkage, text, kNames);
  kept.insert(kept.end(), {defined, names});
  llvm::appendToCompilerUsed(module_, kept);
}

}  // namespace assay::metal
