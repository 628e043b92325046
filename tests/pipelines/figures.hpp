// What docs/pipelines.md has of each product of FP4 weights: figures counted, beside those that documents
// state.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/profile/figure_values.hpp"
#include "tests/pipelines/declared.hpp"

namespace assay::tests {

/// A figure of a pipeline. Expressions are those of docs/claims.toml, so that the documents' figures are
/// those claims of the kernel that have one of them; `{stages}` in one is the number of buffers.
struct Column {
  std::string_view key;                     ///< in the data of the pictures
  std::string_view title;                   ///< in the tables
  std::vector<std::string_view> measured;   ///< it is the first whose counters the kernel has
  std::vector<std::string_view> also = {};  ///< the same quantity, as documents come to it
  std::string_view four_stages = {};        ///< the same of four buffers, out of the counters of three
};

/// A figure that a document states.
struct Stated {
  std::string document, section;
  Figure says;
  bool agrees = false;
};

struct Value {
  Figure measured;
  std::vector<Stated> stated;  ///< in the order of the documents
};

/// A kernel, or the four buffers that none has.
struct Pipeline {
  const KernelEntry* entry = nullptr;
  std::int64_t stages = 0;  ///< buffers of A, counted
  bool worked_out = false;  ///< of no kernel: out of the counters of `entry`
  DeclaredMatrices matrices{};
  std::map<std::string_view, Value> values{};  ///< by key; those that it has

  std::string name() const;  ///< of the kernel, or "four buffers"
  std::string tile() const;  ///< "64x64x32"
};

/// The columns of a table of the page. Throws std::out_of_range where there is none of the name.
std::span<const Column> columns_of(std::string_view table);
/// The names of the tables, in the order of the page.
std::span<const std::string_view> tables();

/// Every kernel of the manifest that multiplies by FP4 weights, by the number of its buffers, and four
/// buffers last. `claims` are those of docs/claims.toml. Throws what FigureValues throws.
std::vector<Pipeline> pipelines(const std::vector<KernelEntry>& manifest,
                                const profile::DocumentClaims& claims);

}  // namespace assay::tests
