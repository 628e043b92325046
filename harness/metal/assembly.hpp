// Whether two kernels are the same machine code, whatever their symbols are called.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::metal {

/// A listing of g++, read once for any number of kernels in it.
class Assembly {
 public:
  /// `text` must outlive it.
  explicit Assembly(std::string_view text);
  ~Assembly();
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  /// What it has of `roots` and everything they refer to, with symbols and labels numbered in the order in
  /// which they are met: equal texts are equal code. Sections and alignments are left out. Empty where code
  /// runs on its own when the object is loaded, which belongs to no root.
  std::string canonical(const std::vector<std::string>& roots) const;

  /// The names in all that which the listing does not define: functions of the simulator among them.
  std::set<std::string> names_outside(const std::vector<std::string>& roots) const;

 private:
  std::unique_ptr<const class Listing> listing_;
};

}  // namespace assay::metal
