// What wrong elements have in common that right ones have not: the shortest description by coordinates.
//
// A rule "coordinate is one of these values, and ..." is worth the bits it saves in telling which elements
// are wrong (minimum description length: J. Rissanen, Modeling by shortest data description, 1978), less the
// bits that it takes to say. So a coordinate whose values tell wrong from right wins over one that only
// correlates, and of several that tell the same the one that is said soonest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "properties/diagnosis/coordinate.hpp"

namespace assay::properties {

/// Elements with their coordinates: every coordinate has as many values as there are elements.
struct ElementTable {
  std::vector<Coordinate> coordinates;  ///< of equal worth, the earlier is preferred
  std::vector<char> wrong;              ///< 1 or 0

  /// Appends the elements of another table. Coordinates that either lacks are dropped.
  void append(const ElementTable& more);
};

struct Condition {
  std::size_t coordinate = 0;        ///< index into ElementTable::coordinates
  std::vector<std::int64_t> values;  ///< ascending: one of these
};

/// All wrong elements have every term.
struct Rule {
  std::vector<Condition> terms;  ///< empty: nothing tells wrong from right
  std::size_t wrong = 0;         ///< wrong elements
  std::size_t having = 0;        ///< elements, wrong or right, that have every term
  std::size_t all = 0;           ///< elements
};

/// The rule of at most `most` terms that is worth most, found term by term. A term that saves less than a
/// sixth or so of what is left to tell is no finding.
Rule find_rule(const ElementTable& table, std::size_t most = 3);

/// What wrong elements have in common where one rule does not tell them: faults beside one another. A part is
/// every element of some values of one coordinate, all of which are wrong; behind it stands the rule of what
/// is left. At most `most` rules, each of `table` without the parts of those before it.
std::vector<Rule> find_rules(const ElementTable& table, std::size_t most = 3);

/// The elements of a table that do not have every term of a rule.
ElementTable without(const ElementTable& table, const Rule& rule);

/// Behind "elements": "in nibble 3 and in rows 32-63 of the tile".
std::string in_words(const Rule& rule, const ElementTable& table);

/// Behind "elements", for some values of one coordinate: "with code 1, 3 or 9-11".
std::string in_words(const Coordinate& coordinate, const std::vector<std::int64_t>& values);

}  // namespace assay::properties
