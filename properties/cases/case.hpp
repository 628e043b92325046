// A generated problem, small enough to print: what a failure shows and what `assay replay` takes back.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/problem.hpp"
#include "properties/cases/part.hpp"

namespace assay::properties {

inline constexpr std::uint64_t kMostBudget = 1'000'000;

/// Everything that the values of one problem follow from. Equal cases give equal bytes on every machine.
struct Case {
  std::string operation;
  Dims dims;           ///< M, N, K, group_size, ... as the operation declares them
  std::string regime;  ///< how values are drawn; one of the operation's regimes
  Dims knobs;          ///< integer parameters of the regime
  std::uint64_t seed = 0;
  /// Of a large case: how many times the work of an ordinary sample it may take (large/whole.hpp).
  std::uint64_t budget = 1;
  /// The order in which threadgroups run, where it does not follow from the seed: one of
  /// device::schedule_of().
  std::string schedule = {};
  /// A golden file whose tensors the problem has, in place of values that are drawn: its path. Of such a case
  /// the regime is the file's, and the seed is the order of threadgroups alone.
  std::string golden = {};
  /// The part of the file's problem that it is (large/part.hpp), whose dimensions are `dims`; empty: all.
  Part part = {};

  bool operator==(const Case&) const = default;
};

/// The fields of a line in order, as (key, value).
using Fields = std::vector<std::pair<std::string, std::string>>;

/// One line of space-separated key=value, always in the same order:
/// `operation=gemm_fp4 K=33 M=1 N=8 group_size=16 regime=probe knob.first=3 seed=17`; `budget=4` behind it
/// where it is not 1, `schedule=...` where it has one, and `golden=FILE part.M=3:4` where it is (part of) a
/// file.
std::string to_line(const Case& test_case);

/// Inverse of to_line. Fields may come in any order. Throws std::invalid_argument that names the key: one
/// that is missing, repeated, not an integer or no range.
Case parse_line(std::string_view line);

/// The first half of parse_line, for callers that add keys of their own. A value that holds spaces stands in
/// double quotes, with \ before a quote or a backslash. Throws std::invalid_argument as parse_line does.
Fields split_fields(std::string_view line);

/// A value as split_fields() reads it: in quotes where it holds what would end it.
std::string quoted(const std::string& value);

/// The second half: every field that is not `operation`, `regime`, `seed`, `budget`, `schedule`, `golden`,
/// `knob.*` or `part.*` is a dimension.
Case case_of(const Fields& fields);

/// As to_line; googletest and rapidcheck print cases with it.
std::ostream& operator<<(std::ostream& out, const Case& test_case);

}  // namespace assay::properties
