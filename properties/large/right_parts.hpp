// What is right for parts of a large problem, solved a part at a time.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "properties/large/part.hpp"

namespace assay::properties {

/// What is right for an element of the whole output.
struct Right {
  std::size_t element = 0;  ///< as it lies in memory
  std::size_t part = 0;     ///< the number of the part that it is of
  double value = 0, low = 0, high = 0;
  std::vector<RightStretch> apart = {};  ///< its stretches, where it has some
};

struct RightOutput {
  std::string bound;
  bool signed_zero = false;
  std::vector<Right> elements;  ///< ascending
};

/// As the next element of an expectation.
void add_right(const Right& one, Expectation& expected);

class RightParts {
 public:
  RightParts(const Operation& operation, const Problem& problem, const Arithmetic& arithmetic)
      : operation_(operation), problem_(problem), arithmetic_(arithmetic) {}

  /// Solves a part, which must not overlap with those that are there; false where it is there already.
  /// Throws as cut_out() and Operation::expect().
  bool add(const Part& part);

  /// How many parts there are. They are numbered in the order in which they were added.
  std::size_t count() const { return numbers_.size(); }

  const std::map<std::string, RightOutput>& outputs() const { return outputs_; }

  /// What is right for one output, as of a tensor of one dimension that holds its elements alone.
  Expectation expectation_of(const std::string& output) const;

  /// Which elements of inputs the answers made use of, and which of outputs they are.
  const std::map<std::string, Taken>& taken() const { return taken_; }
  /// Those of inputs alone, by the number of the part.
  const std::vector<std::map<std::string, Taken>>& taken_by_part() const { return taken_by_part_; }

 private:
  void note(const std::string& tensor, const Taken& taken);

  const Operation& operation_;
  const Problem& problem_;
  const Arithmetic& arithmetic_;
  std::map<Part, std::size_t> numbers_;
  std::map<std::string, RightOutput> outputs_;
  std::map<std::string, Taken> taken_;
  std::vector<std::map<std::string, Taken>> taken_by_part_;
};

}  // namespace assay::properties
