#include "harness/metal/clang/debug_places.hpp"

namespace assay::metal {

std::string file_name(const llvm::DILocation& at) {
  std::string name = at.getFilename().str();
  if (name.empty() || name.front() == '/' || at.getDirectory().empty()) return name;
  return at.getDirectory().str() + "/" + name;
}

bool is_one_of(const std::set<Diagnostic::Place>& places, const llvm::DILocation* at) {
  if (at == nullptr || places.empty()) return false;
  return places.contains({at->getFilename().str(), at->getLine(), at->getColumn()}) ||
         places.contains({file_name(*at), at->getLine(), at->getColumn()});
}

}  // namespace assay::metal
