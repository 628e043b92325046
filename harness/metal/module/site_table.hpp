// Places of a kernel's text that its object keeps records of (harness/metal/ir/sites.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/metal/module/line_table.hpp"

namespace assay::metal {

/// A loop of the text: the lines of its first and of its last word.
struct TextLoop {
  std::string file;
  std::uint32_t first = 0, last = 0;
  /// It calls one function at most, atomic loads aside: so it only waits if that is an atomic.
  bool calls_at_most_one = false;
};

class SiteTable {
 public:
  /// Of a whole object file. One without records, or with damaged ones, knows no place.
  explicit SiteTable(const std::string& object);

  /// The place whose record lies at that address of the object, then the calls around it, innermost first;
  /// nothing where no record lies.
  std::optional<std::vector<CodeLine>> lines_at(std::uint64_t address) const;

  /// Every loop that the text writes, in no order.
  const std::vector<TextLoop>& loops() const { return loops_; }

 private:
  struct Record {
    std::uint32_t file, line, column, outer;
  };
  std::string name_at(std::size_t at) const;

  std::uint64_t begin_ = 0;
  std::vector<Record> records_;
  std::vector<TextLoop> loops_;
  std::string names_;
};

}  // namespace assay::metal
