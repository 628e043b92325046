// Places of a kernel's text that its object keeps records of (harness/metal/ir/sites.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/metal/line_table.hpp"

namespace assay::metal {

class SiteTable {
 public:
  /// Of a whole object file. One without records, or with damaged ones, knows no place.
  explicit SiteTable(const std::string& object);

  /// The place whose record lies at that address of the object, then the calls around it, innermost first;
  /// nothing where no record lies.
  std::optional<std::vector<CodeLine>> lines_at(std::uint64_t address) const;

 private:
  struct Record {
    std::uint32_t file, line, column, outer;
  };
  std::uint64_t begin_ = 0;
  std::vector<Record> records_;
  std::string names_;
};

}  // namespace assay::metal
