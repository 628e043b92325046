// Variables of lanes' own that code announces which was compiled to (metal::Flavour::watched): which of their
// bytes have a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/launch_report.hpp"

namespace assay::simulator {

class PrivateVariables {
 public:
  struct Variable {
    std::uint32_t number = 0;  ///< in the text
    std::string name;
    device::SourcePlace declared;
    std::uint64_t owner = 0;    ///< the lane
    std::vector<bool> written;  ///< by byte
  };
  struct Unwritten {
    const Variable& variable;
    std::size_t byte = 0;
  };

  bool empty() const { return variables_.empty(); }
  void clear() { variables_.clear(); }

  /// One begins, without a value. Whatever was known of this memory is over.
  void begins(std::uintptr_t address, std::size_t size_bytes, Variable variable);
  void ends(std::uintptr_t address) { variables_.erase(address); }

  /// A lane has stored there.
  void written(std::uintptr_t address, std::size_t size_bytes, std::uint64_t owner);
  /// A lane loads from there: the first byte without a value, if there is one.
  std::optional<Unwritten> unwritten(std::uintptr_t address, std::size_t size_bytes,
                                     std::uint64_t owner) const;

 private:
  const Variable* at(std::uintptr_t address, std::uint64_t owner, std::uintptr_t& begin) const;

  std::map<std::uintptr_t, Variable> variables_;  // by address; disjoint
};

}  // namespace assay::simulator
