#include "harness/fuzz/finding_book.hpp"

#include <algorithm>

namespace assay::fuzz {
namespace {

bool is_of(const KeptFinding& finding, const TargetKey& target) {
  return target == std::tie(finding.manifest, finding.kernel, finding.mode);
}

bool ended_its_process(const KeptFinding& finding) {
  return finding.verdict == assay::name_of(Verdict::crash) ||
         finding.verdict == assay::name_of(Verdict::timeout);
}

}  // namespace

FindingBook::News FindingBook::take(KeptFinding& found) {
  auto* const known = find(found);
  if (known == nullptr) {
    directory_.write(found);
    directory_.state().findings.push_back(found);
    return News::fresh;
  }
  ++known->seen;
  found.conclusion = known->conclusion;
  if (known->text != found.text) {
    known->shrunk = found.shrunk;
    replace(*known, found);
    return News::again;
  }
  // A case that ended its process is made smaller from the first on, whatever else is met meanwhile.
  if (found.size < known->size && !ended_its_process(found))
    replace(*known, found);
  else
    directory_.write(*known);  // how often it was seen, whenever its smallest case is found
  return News::none;
}

void FindingBook::count(const TargetKey& target, const std::string& cause, std::uint64_t cases) {
  auto& all = directory_.state().findings;
  const auto known = std::find_if(all.begin(), all.end(),
                                  [&](const auto& one) { return is_of(one, target) && one.cause == cause; });
  if (known == all.end()) return;
  known->seen += cases;
  directory_.write(*known);
}

void FindingBook::shrunk(const KeptFinding& finding, const std::optional<KeptFinding>& smallest) {
  auto* const known = find(finding);
  if (known == nullptr || known->text != finding.text) return;  // that of a later text is still to be tried
  known->shrunk = true;
  if (smallest) replace(*known, *smallest);
}

KnownCauses FindingBook::known(const TargetKey& target, const std::string& text) const {
  KnownCauses known;
  for (const auto& one : directory_.state().findings) {
    if (is_of(one, target) && one.text == text) known.add(one);
  }
  return known;
}

bool FindingBook::known_to_hang(const TargetKey& target, const std::string& text) const {
  const auto& all = directory_.state().findings;
  return std::any_of(all.begin(), all.end(), [&](const auto& one) {
    return is_of(one, target) && one.text == text && one.verdict == assay::name_of(Verdict::timeout);
  });
}

KeptFinding* FindingBook::find(const KeptFinding& finding) {
  auto& all = directory_.state().findings;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.is(finding); });
  return found == all.end() ? nullptr : &*found;
}

// Another case of what is known: what tells it from other findings stays.
void FindingBook::replace(KeptFinding& known, const KeptFinding& by) const {
  known.replay = by.replay;
  known.report = by.report;
  known.size = by.size;
  known.text = by.text;
  directory_.write(known);
}

}  // namespace assay::fuzz
