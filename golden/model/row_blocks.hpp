// Work on blocks of rows, by several threads, with results that do not depend on their number.
#pragma once

#include <cstddef>
#include <functional>

namespace assay::golden {

/// Calls work(begin, end) once for each block of `block` of the rows 0..rows-1, the last one shorter, from up
/// to `threads` threads. Where calls throw, it throws what that of the lowest block has thrown.
void for_row_blocks(std::size_t rows, std::size_t block, unsigned threads,
                    const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace assay::golden
