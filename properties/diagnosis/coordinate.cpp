#include "properties/diagnosis/coordinate.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace assay::properties {
namespace {

constexpr std::uint16_t kHalfOne = 0x3C00;
constexpr std::size_t kPiece = 8;  // of simdgroup matrices

using Of = std::function<std::size_t(std::size_t row, std::size_t column)>;

class Adder {
 public:
  Adder(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns) {}

  void add(std::string one, std::string many, const Of& of, bool weight,
           std::vector<std::string> names = {}) {
    Coordinate coordinate{std::move(one), std::move(many), {}, weight, std::move(names)};
    coordinate.of.reserve(rows_ * columns_);
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t c = 0; c < columns_; ++c) coordinate.of.push_back(static_cast<std::int64_t>(of(r, c)));
    }
    added.push_back(std::move(coordinate));
  }

  std::vector<Coordinate> added;

 private:
  std::size_t rows_, columns_;
};

}  // namespace

std::optional<std::vector<std::size_t>> unit_rows(const Tensor& A) {
  if (A.dtype != DType::f16 || A.shape.size() != 2) return std::nullopt;
  const auto halves = A.as<std::uint16_t>();
  const std::size_t M = A.shape[0], K = A.shape[1];
  std::vector<std::size_t> k_of_row;
  for (std::size_t m = 0; m < M; ++m) {
    const auto row = halves.subspan(m * K, K);
    const auto nonzero = [](std::uint16_t half) { return half != 0; };
    const auto first = std::find_if(row.begin(), row.end(), nonzero);
    if (first == row.end() || *first != kHalfOne || std::find_if(first + 1, row.end(), nonzero) != row.end())
      return std::nullopt;
    k_of_row.push_back(static_cast<std::size_t>(first - row.begin()));
  }
  return k_of_row;
}

std::vector<Coordinate> coordinates_along_k(const std::vector<std::size_t>& k_of_row, std::size_t columns,
                                            const AlongK& cut) {
  const std::size_t K = cut.K, tile_k = cut.tile, group_size = cut.group_size;
  Adder of(k_of_row.size(), columns);
  const auto add = [&](std::string one, std::string many, const std::function<std::size_t(std::size_t)>& f) {
    of.add(
        std::move(one), std::move(many), [&](std::size_t r, std::size_t) { return f(k_of_row[r]); }, true);
  };
  if (tile_k > 0 && cut.slices > 0) {
    const std::size_t tiles = (K + tile_k - 1) / tile_k, of_slice = (tiles + cut.slices - 1) / cut.slices;
    add("in slice {} of K", "in slices {} of K", [&](std::size_t k) { return k / tile_k / of_slice; });
    of.add("last slice", "",
           [&](std::size_t r, std::size_t) {
             return k_of_row[r] / tile_k / of_slice == (tiles - 1) / of_slice ? 1U : 0U;
           },
           true, {"outside the last slice of K", "in the last slice of K"});
  }
  if (tile_k > 0) {
    add("in K tile {}", "in K tiles {}", [&](std::size_t k) { return k / tile_k; });
    of.add("partial K tile", "",
           [&](std::size_t r, std::size_t) { return (k_of_row[r] / tile_k + 1) * tile_k > K ? 1U : 0U; },
           true, {"in whole K tiles", "in the last, partial K tile"});
    add("at k {} of the K tile", "at k {} of the K tile", [&](std::size_t k) { return k % tile_k; });
  }
  if (group_size > 0) {
    add("in group {}", "in groups {}", [&](std::size_t k) { return k / group_size; });
    of.add("last group", "",
           [&](std::size_t r, std::size_t) {
             return k_of_row[r] / group_size == (K - 1) / group_size ? 1U : 0U;
           },
           true, {"outside the last group of K", "in the last group of K"});
    if (tile_k > 0) {
      add("in group {} counted from the start of the K tile",
          "in groups {} counted from the start of the K tile",
          [&](std::size_t k) { return k / group_size - k / tile_k * tile_k / group_size; });
    }
    add("at k {} of the group", "at k {} of the group", [&](std::size_t k) { return k % group_size; });
  }
  add("at k {}", "at k {}", [](std::size_t k) { return k; });
  return of.added;
}

std::vector<Coordinate> coordinates_of_storers(const std::vector<device::Writer>& writers,
                                               const std::vector<char>& wrong) {
  Coordinate simdgroup{"stored by simdgroup {}", "stored by simdgroups {}", {}, false, {}, true};
  Coordinate threadgroup{"stored by threadgroup {}", "stored by threadgroups {}", {}, false, {}, true};
  if (writers.size() != wrong.size()) return {};
  for (std::size_t i = 0; i < writers.size(); ++i) {
    if (wrong[i] && writers[i].simdgroup == device::Writer::kNobody) return {};
    simdgroup.of.push_back(writers[i].simdgroup);
    threadgroup.of.push_back(writers[i].threadgroup);
  }
  return {std::move(simdgroup), std::move(threadgroup)};
}

std::vector<Coordinate> coordinates_of_place(std::size_t rows, std::size_t columns, std::size_t tile_m,
                                             std::size_t tile_n) {
  Adder of(rows, columns);
  const auto by_row = [&](const char* one, const char* many,
                          const std::function<std::size_t(std::size_t)>& f) {
    of.add(
        one, many, [&](std::size_t r, std::size_t) { return f(r); }, false);
  };
  const auto by_column = [&](const char* one, const char* many,
                             const std::function<std::size_t(std::size_t)>& f) {
    of.add(
        one, many, [&](std::size_t, std::size_t c) { return f(c); }, false);
  };
  if (tile_m > 1)
    by_row("in row {} of the tile", "in rows {} of the tile", [&](std::size_t r) { return r % tile_m; });
  if (tile_n > 1)
    by_column("in column {} of the tile", "in columns {} of the tile",
              [&](std::size_t c) { return c % tile_n; });
  if (tile_m > 1 && tile_m < rows)
    by_row("in tile row {}", "in tile rows {}", [&](std::size_t r) { return r / tile_m; });
  if (tile_n > 1 && tile_n < columns)
    by_column("in tile column {}", "in tile columns {}", [&](std::size_t c) { return c / tile_n; });
  by_row("in row {} of an 8 x 8 piece", "in rows {} of an 8 x 8 piece",
         [](std::size_t r) { return r % kPiece; });
  by_column("in column {} of an 8 x 8 piece", "in columns {} of an 8 x 8 piece",
            [](std::size_t c) { return c % kPiece; });
  of.add("last row", "", [&](std::size_t r, std::size_t) { return r + 1 == rows ? 1U : 0U; }, false,
         {"outside the last row", "in the last row"});
  of.add("last column", "", [&](std::size_t, std::size_t c) { return c + 1 == columns ? 1U : 0U; }, false,
         {"outside the last column", "in the last column"});
  by_row("in row {}", "in rows {}", [](std::size_t r) { return r; });
  by_column("in column {}", "in columns {}", [](std::size_t c) { return c; });
  return of.added;
}

}  // namespace assay::properties
