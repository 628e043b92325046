#include "harness/metal/ir/text_places.hpp"

#include <llvm/IR/InstrTypes.h>

#include <algorithm>
#include <array>

#include "harness/metal/clang/debug_places.hpp"

namespace assay::metal {
namespace {

using namespace llvm;

// Headers of the library whose operators stand for what a text has written.
constexpr std::array<const char*, 4> kOperators = {"/metal/vec.h", "/metal/packed_vec.h", "/metal/swizzle.h",
                                                   "/metal/mixed_bfloat.h"};

}  // namespace

TextPlaces::TextPlaces(const Module& module, std::string library) : library_(std::move(library)) {
  for (const TextNote& one : text_notes(module, kRestrictedRanges)) {
    const auto& n = one.numbers;
    ranges_.push_back({one.file, {n[0], n[1]}, {n[2], n[3]}, {n[4] != 0, n[5] != 0}});
  }
}

bool TextPlaces::wrote(const Instruction& one) const {
  // Sums and products of bfloats, which are calls where they matter, stand in their class.
  const bool of_class = isa<CallBase>(one);
  for (const DILocation* at = one.getDebugLoc().get(); at != nullptr; at = at->getInlinedAt()) {
    const std::string name = file_name(*at);
    if (!name.starts_with(library_)) return true;
    if (of_class && name.ends_with("/metal/scalar_types.h")) continue;
    const bool is_operator = std::any_of(kOperators.begin(), kOperators.end(),
                                         [&](const char* end) { return name.ends_with(end); });
    if (!is_operator) return false;
  }
  return false;
}

bool TextPlaces::stands_in_text(const Instruction& one) const {
  const DILocation* const at = one.getDebugLoc().get();
  return at != nullptr && !file_name(*at).starts_with(library_);
}

ArithmeticRules TextPlaces::rules(const Instruction& one) const {
  if (ranges_.empty()) return {};
  const DILocation* at = one.getDebugLoc().get();
  while (at != nullptr && file_name(*at).starts_with(library_)) at = at->getInlinedAt();
  if (at == nullptr) return {};
  const std::pair place = {at->getLine(), at->getColumn()};
  for (const Range& range : ranges_) {
    const bool there = range.begin <= place && place < range.end;
    if (there && (range.file == at->getFilename() || range.file == file_name(*at))) return range.rules;
  }
  return {};
}

}  // namespace assay::metal
