#include "harness/simulator/private_variables.hpp"

#include <algorithm>
#include <utility>

namespace assay::simulator {

void PrivateVariables::begins(std::uintptr_t address, std::size_t size_bytes, Variable variable) {
  // A lane that was stopped has left its variables behind, where another may have its own by now.
  auto old = variables_.upper_bound(address);
  if (old != variables_.begin() && std::prev(old)->first + std::prev(old)->second.written.size() > address)
    --old;
  while (old != variables_.end() && old->first < address + size_bytes) old = variables_.erase(old);
  variable.written.assign(size_bytes, false);
  variables_[address] = std::move(variable);
}

const PrivateVariables::Variable* PrivateVariables::at(std::uintptr_t address, std::uint64_t owner,
                                                       std::uintptr_t& begin) const {
  const auto after = variables_.upper_bound(address);
  if (after == variables_.begin()) return nullptr;
  const auto& [first, variable] = *std::prev(after);
  begin = first;
  return address - first < variable.written.size() && variable.owner == owner ? &variable : nullptr;
}

void PrivateVariables::written(std::uintptr_t address, std::size_t size_bytes, std::uint64_t owner) {
  std::uintptr_t begin = 0;
  const Variable* const found = at(address, owner, begin);
  if (found == nullptr) return;
  auto& bytes = const_cast<Variable*>(found)->written;
  const std::size_t from = address - begin, to = std::min(bytes.size(), from + size_bytes);
  for (std::size_t i = from; i < to; ++i) bytes[i] = true;
}

std::optional<PrivateVariables::Unwritten> PrivateVariables::unwritten(std::uintptr_t address,
                                                                       std::size_t size_bytes,
                                                                       std::uint64_t owner) const {
  std::uintptr_t begin = 0;
  const Variable* const found = at(address, owner, begin);
  if (found == nullptr) return std::nullopt;
  const std::size_t from = address - begin, to = std::min(found->written.size(), from + size_bytes);
  for (std::size_t i = from; i < to; ++i) {
    if (!found->written[i]) return Unwritten{*found, i};
  }
  return std::nullopt;
}

}  // namespace assay::simulator
