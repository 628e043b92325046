// The search for a grid and for shapes: which products of dimensions explain what a kernel touches?
#pragma once

#include <array>
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
  double score = 0;
};

/// How far a buffer is touched, as a product of dimensions.
struct Extent {
  bool touched = false, known = false;
  std::multiset<int> dimensions;  ///< twice the one of a square
  std::size_t times = 1, per = 1, unit = 1;
};

/// The side of an axis.
std::uint32_t& side_of(device::Size3& size, unsigned axis);

class Search {
 public:
  /// Both must outlive this.
  Search(const MeasureRequest& request, Probe& probe);

  /// Nothing where no launch went well.
  std::optional<Measured> run();

 private:
  using Run = std::function<std::optional<Reaches>(const Dims&)>;

  int count() const { return static_cast<int>(all_.size()); }
  device::Size3 size_of(const Grid& grid, const Dims& dims) const;
  std::optional<Reaches> at(const Grid& grid, const Dims& dims);
  std::optional<Reaches> told(const Dims& dims);
  Dims with_other(int dimension) const;
  /// Whole numbers that a launch is given, and that may say where it goes.
  bool may_be_index(std::size_t i) const;
  void find_indices(std::vector<MeasuredBuffer>& found, const Reaches& base);

  /// search_extents.cpp. What a buffer's extent has to do with each dimension: nothing, or it grows as that
  /// does.
  std::vector<Extent> extents_of(const Reaches& base, const std::set<int>& used, const Run& run);
  void find_factor(std::size_t index, const Reach& reach, Extent& extent) const;
  /// Rows before columns: the dimension of the grid's x is the last.
  std::vector<int> in_order(const std::multiset<int>& dimensions) const;
  MeasuredBuffer buffer_of(const Reach& reach, const Extent& extent) const;

  /// search_grid.cpp.
  Grid best();
  /// Every grid of the beam with every side that this axis may have; the best of them.
  std::vector<Grid> grown(const std::vector<Grid>& beam, unsigned axis);
  /// Each side covers what the kernel looks at, and every buffer is a product of dimensions.
  bool explains_all(const Grid& grid);
  std::vector<Side> sides(unsigned axis) const;
  /// How well a grid explains what is touched; nothing where the side of `axis` is too long, or where
  /// launches fail.
  std::optional<double> score_of(const Grid& grid, unsigned axis);
  /// How long a side is: its last is needed, and one more would have something to do, or not.
  enum class Fit { single, too_long, open, covers, fails };
  Fit fit_of(const Grid& grid, unsigned axis, const Dims& dims);
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
};

}  // namespace assay::draft
