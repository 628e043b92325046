// Halves as the doubles that a BLAS is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "properties/blas/unwritten.hpp"

namespace assay::blas {

/// The bits that the finite halves of a row or a column take, as integers of 2^-24: all of them are multiples
/// of 2^low, and below 2^high. Both 0 where all are 0.
struct Bits {
  int low = 0, high = 0;
  int count() const { return high - low; }
};

/// A block of a matrix of halves, rows first. What is not finite is 0 in it, and its line is named.
struct Operand {
  std::size_t rows = 0, columns = 0;
  Unwritten<double> values;      ///< [rows, columns]
  std::vector<Bits> bits;        ///< by line: by row of A, by column of W
  std::vector<bool> not_finite;  ///< by line

  int widest() const;
};

/// Drops the signs of all elements, in place.
void drop_signs(std::span<double> values);

/// Rows [first, first + count) of A [M, K]; its lines are the rows. An operand that is read anew keeps its
/// memory.
void read_rows(std::span<const std::uint16_t> A, std::size_t K, std::size_t first, std::size_t count,
               Operand& operand);
/// Columns [first, first + count) of W [K, N]; its lines are the columns.
void read_columns(std::span<const std::uint16_t> W, std::size_t N, std::size_t first, std::size_t count,
                  Operand& operand);

/// Bits [from, from + count) of each element above the lowest of its line, as integers with the element's
/// sign; `lines_are_rows` says which way these run.
std::vector<double> slice_of(const Operand& operand, bool lines_are_rows, int from, int count);

}  // namespace assay::blas
