// The table of `assay verify`: a row for each kernel, a column for each mode of the simulator.
#pragma once

#include <string>
#include <vector>

#include "harness/report/styled.hpp"
#include "harness/run/verifier.hpp"

namespace assay::report {

/// The rows as text, each a line; columns are as wide as the kernels that are to come need them.
class Table {
 public:
  Table(const std::vector<const KernelEntry*>& entries, const std::vector<run::Mode>& modes);

  /// The names of the columns.
  std::string header() const;
  /// The kernel's verdict in each mode, its cases in the mode that ran most of them, and the seconds of all.
  StyledText row(const run::KernelReport& report) const;

 private:
  std::size_t name_width_ = 6, operation_width_ = 9;
  std::vector<run::Mode> modes_;    ///< of the simulator, with strict arithmetic: a column each
  bool flushed_ = false;            ///< among the modes
  std::size_t numerics_width_ = 0;  ///< of the column that says which arithmetic a kernel survives; 0: none
};

}  // namespace assay::report
