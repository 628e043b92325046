// The search for a grid and for shapes: which products of dimensions explain what a kernel touches?
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/draft/measure.hpp"
#include "harness/draft/probe.hpp"

namespace assay::draft {

using Reaches = std::vector<Reach>;

/// A side of the grid: times * ceil(dimension / per), or 1.
struct Side {
  int dimension = -1;
  std::int64_t times = 1, per = 1;

  std::uint32_t at(const std::vector<MeasuredDimension>& all, const Dims& dims) const;
  std::string text(const std::vector<MeasuredDimension>& all) const;
};

/// A grid, and what it explains.
struct Grid {
  std::array<Side, 3> sides = {};
  double fit = 0;        ///< of its sides to what the kernel looks at
  double explained = 0;  ///< of what is touched, by products of dimensions
  double score() const { return fit + explained; }
};

/// How far a buffer is touched, as a product of dimensions.
struct Extent {
  bool touched = false, known = false;
  bool exact = true;              ///< not by a few elements more or less
  std::multiset<int> dimensions;  ///< twice the one of a square
  std::set<int> divisors;         ///< it is divided by these, and rounded up
  std::size_t times = 1, per = 1, unit = 1;
};

/// The side of an axis.
std::uint32_t& side_of(device::Size3& size, unsigned axis);

class Search {
 public:
  /// The first two must outlive this. `tried`: is told some ten times a second.
  Search(const MeasureRequest& request, Probe& probe, TriedGrids tried);

  /// Nothing where no launch went well.
  std::optional<Measured> run();

  /// Of what run() has found: what other contents of inputs change, where the kernel goes and how much it
  /// stores. They may lead it anywhere: `trying` is told first whose they are, by the number that Reach has.
  void vary_contents(Measured& measured, const std::function<void(std::size_t)>& trying);

 private:
  using Run = std::function<std::optional<Reaches>(const Dims&)>;

  int count() const { return static_cast<int>(all_.size()); }
  device::Size3 size_of(const Grid& grid, const Dims& dims) const;
  std::optional<Reaches> at(const Grid& grid, const Dims& dims);
  std::optional<Reaches> told(const Dims& dims);
  Dims with_other(int dimension) const;
  /// Whole numbers (0), or other numbers (1), that a launch is given, and that may say where it goes.
  std::optional<bool> may_be_index(std::size_t i) const;

  /// search_extents.cpp. What a buffer's extent has to do with each dimension: nothing, or it grows as that
  /// does.
  std::vector<Extent> extents_of(const Reaches& base, const std::set<int>& used, const Run& run);
  void find_factor(std::size_t index, const Reach& reach, Extent& extent) const;
  /// Whether a buffer of this extent has so many elements at these sizes.
  bool explains(const Extent& extent, const Dims& dims, std::size_t elements) const;
  /// Buffers with an element for each threadgroup, of which there was but one at the sizes of `base`: from
  /// runs in which sides of the grid have several.
  void find_tiles(std::vector<Extent>& extents, const std::set<int>& used, const Run& run);
  /// What a size divides that is larger than the dividend at the sizes of `base`: with a size of 1, more is
  /// touched.
  void find_hidden_divisors(const Reaches& base, std::vector<Extent>& extents, const std::set<int>& used,
                            const Run& run);
  /// Rows before columns: the dimension of the grid's x is the last.
  std::vector<int> in_order(const std::multiset<int>& dimensions) const;
  /// The place in `order` of the dimension that is divided and rounded up, where the elements touched at the
  /// first sizes fit one of them alone.
  std::optional<std::size_t> only_divided(const Reach& reach, const Extent& extent,
                                          const std::vector<int>& order) const;
  MeasuredBuffer buffer_of(const Reach& reach, const Extent& extent) const;

  /// search_grid.cpp.
  Grid best();
  /// How long the side of this axis must be, the others being what they are, so that nothing more is
  /// touched; nothing where a longer one always touches more.
  std::optional<std::uint32_t> cover_of(const Grid& grid, unsigned axis);
  /// Every grid of the beam with every side that this axis may have; the best of them. `last`: there is no
  /// further axis.
  std::vector<Grid> grown(const std::vector<Grid>& beam, unsigned axis, bool last);
  void tell(std::size_t tried, std::size_t of);
  /// Those with the highest scores that hold at other sizes too. Of each dimension few: most differ in
  /// nothing that has been seen.
  std::vector<Grid> best_of(std::vector<Grid> grids, unsigned axis);
  /// Every buffer is a product of all dimensions on which something depends, and the sides fit so well: more
  /// than 0 where one covers what the kernel looks at.
  /// `less`: for each buffer.
  bool explains_all(const Grid& grid, double fit = 0.5, double less = 0);
  bool is_of_grid(const Side& side) const {
    return side.dimension >= 0 && all_[static_cast<std::size_t>(side.dimension)].of_grid;
  }
  /// `cover`: as many as are needed; a tile that gives so many is tried too. 0: not known.
  std::vector<Side> sides(unsigned axis, std::uint32_t cover) const;
  /// The grid with this side, and how good it is; nothing where the side is too long, or where launches
  /// fail.
  std::optional<Grid> scored(Grid grid, unsigned axis, const Side& side);
  double explained(const Grid& grid, const Reaches& base);
  /// Whether the side of `axis` is as long as it should be at other sizes too.
  bool stays(const Grid& grid, unsigned axis);
  /// How long a side is: its last is needed, and one more would have something to do, or not.
  enum class Fit { single, too_long, open, covers, fails };
  /// So many of the last are needed, or some of them: the elements at a border have a thread, too, which has
  /// often nothing to do.
  std::int64_t step_of(const Side& side, std::int64_t length) const;
  Fit fit_of(const Grid& grid, unsigned axis, const Dims& dims);
  /// Sizes at which the side has more than one.
  Dims with_several(const Side& side) const;
  /// A thread for each texel, as hosts launch what works on textures: of the first that is written to, or
  /// else the first. Only where more threads would have nothing to do; that some of these have none is
  /// common.
  std::optional<Grid> of_texels();
  /// A kernel that shares its work among as many as there are takes any grid. What is found for it is the
  /// least, one thread or threadgroup, with which nothing is shared.
  Grid shared(Grid grid);
  /// A scalar on which nothing depends is the side of the grid that no scalar gives: the rows, which the host
  /// knows and the kernel does not ask for.
  Grid adopted(Grid grid);

  const MeasureRequest& request_;
  Probe& probe_;
  std::vector<MeasuredDimension> all_;
  Dims base_;
  Grid grid_;
  TriedGrids tried_;
  std::chrono::steady_clock::time_point told_{};  // of tried_
};

}  // namespace assay::draft
