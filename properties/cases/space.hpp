// The cases of one operation as one kernel takes them: drawing them, edges first, and making them simpler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/cases/case.hpp"
#include "properties/cases/declaration.hpp"

namespace assay::properties {

/// The largest size that rapidcheck draws at, unless it is told otherwise.
inline constexpr int kNominalSize = 100;

/// Those at which a case is far from the ordinary (space_far.cpp), each kind in turn.
inline constexpr int kFirstFarSize = 40, kFarSizeStep = 3;

/// Product of the sizes of a case (M*N*K, K*N, ...), which its cost is proportional to.
struct Budget {
  std::int64_t largest = std::int64_t{1} << 21;  ///< no case is larger
  std::int64_t least = std::int64_t{1} << 15;    ///< cases of the smallest rapidcheck size stay below this
  /// For the few cases that are far from the ordinary (space_far.cpp), whose tensors have more elements than
  /// 16 bits count; 0: none.
  std::int64_t longest = std::int64_t{1} << 23;
};

class CaseSpace {
 public:
  /// Throws std::invalid_argument that names the field when the kernel's requirements name no dimension of
  /// the operation or leave no value.
  CaseSpace(OperationDeclaration declaration, KernelTraits traits, Budget budget);

  /// The case that follows from `key` at a rapidcheck size. The first sizes walk the edges together: every
  /// size 1, then tile - 1, tile, tile + 1, two tiles + 1, ...; later ones mix edges and the middle, and
  /// grow. Some are far from the ordinary: one size long, or beyond 16 bits, many tiles, rare choices.
  Case draw(std::uint64_t key, int size) const;
  /// The same of these dimensions, which are all there and legal: only values are drawn.
  Case draw(std::uint64_t key, const Dims& dims) const;

  /// Simpler cases, most drastic first: sizes to 1 and to edges, then halfway, by dimension in declared
  /// order; choices; regimes; knobs; the seed. Following the first that still fails ends at a local minimum.
  std::vector<Case> shrinks(const Case& test_case) const;

  /// The case whose dimensions are nearest to those wanted, and the simplest in everything else.
  Case nearest(const Dims& wanted) const;

  /// The case of exactly these dimensions, the simplest in everything else, with integers and powers of two
  /// for values where the operation has such. Dimensions that are not given are the smallest. Nothing where
  /// the kernel does not take one of them, be it that it is larger than any that is drawn.
  std::optional<Case> at(const Dims& wanted) const;

  /// Whether the kernel is asked the regime of that name: it has what the regime needs.
  bool asks(std::string_view name) const;

  /// Gives a case the regime of that name, with knobs at 0, where the kernel is asked it; else changes
  /// nothing.
  void set_regime(Case& test_case, std::string_view name) const;
  /// Regime "exact" with all it may vary: a value in a wrong place is another one.
  void set_telling(Case& test_case) const;

  /// What a whole run of these dimensions takes, in multiplications of a product: the product of its sizes,
  /// each up to the end of its last tile, and something for each element of its tensors. 0 where the product
  /// of the sizes themselves is beyond the budget, so that a sample is run.
  double work_of(const Dims& dims) const;

  /// The largest value of a dimension that the kernel takes.
  std::int64_t largest(const std::string& dimension) const;

  /// Values of a dimension where something changes, in the order in which they are tried, legal ones only.
  std::vector<std::int64_t> edges(const Dimension& dimension, const Dims& dims) const;

  /// The regimes that this kernel is asked about, simplest first.
  std::vector<const Regime*> regimes() const;

  const OperationDeclaration& declaration() const { return declaration_; }

 private:
  struct Range {
    std::int64_t low = 1, high = 1, multiple = 1;
    std::int64_t longest = 1;  ///< legal, and at least `high`, which is the largest that is drawn often
    std::vector<std::int64_t> one_of;  ///< sorted; empty: any
    bool admits(std::int64_t value) const;
    /// The admitted value at or next above, or else the largest.
    std::int64_t nearest(std::int64_t value) const;
  };

  Range range_of(const Dimension& dimension) const;
  std::vector<std::int64_t> edges_within(const Range& range, const Dimension& dimension,
                                         const std::vector<std::int64_t>& related) const;
  void draw_choices(Case& test_case, class Stream& stream) const;
  bool draw_whole_tiles(Case& test_case, class Stream& stream) const;
  bool draw_far(Case& test_case, std::size_t which) const;
  void set_least(Dims& dims, bool Dimension::*kind) const;
  void set_first_of_related(Dims& dims, const Dimension& size) const;
  bool draw_long(Case& test_case, std::size_t which) const;
  bool draw_huge(Case& test_case, std::size_t which) const;
  bool draw_many_tiles(Case& test_case, std::size_t which) const;
  bool draw_far_choice(Case& test_case, std::size_t which) const;
  bool with_choice(Case& test_case, const Dimension& choice, std::int64_t value, std::int64_t beside) const;
  std::vector<std::size_t> sizes() const;
  bool take(Case& test_case, const Dims& dims) const;
  void draw_sizes(Case& test_case, class Stream& stream, int size) const;
  void draw_regime(Case& test_case, class Stream& stream, bool far) const;

  void keep_legal(Case& test_case) const;
  void add_shrunk_sizes(const Case& test_case, std::vector<Case>& found) const;
  void add_shrunk_choices(const Case& test_case, std::vector<Case>& found) const;
  void add_shrunk_values(const Case& test_case, std::vector<Case>& found) const;

  OperationDeclaration declaration_;
  KernelTraits traits_;
  Budget budget_;
  std::vector<Range> ranges_;         ///< of declaration_.dimensions
  std::vector<std::size_t> regimes_;  ///< those of declaration_.regimes that the kernel's arithmetic allows
};

}  // namespace assay::properties
