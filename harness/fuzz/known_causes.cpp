#include "harness/fuzz/known_causes.hpp"

#include <algorithm>
#include <bit>

namespace assay::fuzz {

void KnownCauses::add(const KeptFinding& finding) {
  const auto [known, fresh] = causes_.try_emplace(finding.cause, Known{0, finding.size});
  known->second.seen += finding.seen;
  known->second.size = std::min(known->second.size, finding.size);
}

bool KnownCauses::counted(Verdict verdict, const std::string& cause, const properties::Case& rejected) {
  const auto known = causes_.find(cause);
  if (known == causes_.end()) return false;
  ++known->second.seen;
  if (size_of(rejected) < known->second.size) return false;
  return verdict != Verdict::wrong_result || !std::has_single_bit(known->second.seen);
}

}  // namespace assay::fuzz
