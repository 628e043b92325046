// A simdgroup of 32 lanes on 32 threads: enough of the simulator for the stand-in library's own tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fake {

/// What the library reported while the lanes ran.
struct Report {
  struct MatrixAccess {
    const void* first;
    long row_stride_bytes;
    unsigned element_bytes;
    bool is_write;
    unsigned line;
  };
  struct Call {
    std::string name;  ///< "threadgroup_barrier", "fence", "atomic32", ...
    std::vector<unsigned long> arguments;
    unsigned line;
    std::string file;
  };
  std::vector<MatrixAccess> matrix_accesses;
  std::vector<Call> calls;                       ///< of lane 0
  std::vector<std::uint32_t> matrix_operations;  ///< per lane, at the end
};

/// Runs `body` once for each lane, all at once; a lane that returns early is inactive from then on.
/// `index` is the simdgroup's place in its threadgroup.
Report run_simdgroup(const std::function<void()>& body, unsigned index = 0);

}  // namespace fake
