// What threads at the edge of a grid in threads are told of the size of their threadgroup.
#include <gtest/gtest.h>

#include "tests/simulator/kernel_fixture.hpp"

namespace assay::simulator {
namespace {

// Each thread writes the sum of what it sees; of a full threadgroup the two sizes are the same.
std::vector<std::uint32_t> told(Mode mode, const std::string& attribute, std::uint32_t threads,
                                std::uint32_t in_all) {
  const Shape shape{.threads = {threads, 1, 1}, .words = in_all, .threads_in_all = in_all};
  return run_body(mode, "out[at] = told;", shape,
                  ", uint at [[thread_position_in_grid]], uint told [[" + attribute + "]]")
      .out;
}

TEST(PartialThreadgroups, DispatchSizesAreThoseOfAFullOne) {
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    for (const auto& [threads, in_all] :
         {std::pair{64u, 100u}, {64u, 64u}, {48u, 49u}, {96u, 33u}, {32u, 31u}}) {
      const std::uint32_t simdgroups = (threads + 31) / 32;
      for (const auto& [attribute, full] :
           {std::pair<std::string, std::uint32_t>{"dispatch_threads_per_threadgroup", threads},
            {"dispatch_simdgroups_per_threadgroup", simdgroups},
            {"dispatch_quadgroups_per_threadgroup", 8 * simdgroups}}) {
        EXPECT_EQ(told(mode, attribute, threads, in_all), std::vector<std::uint32_t>(in_all, full))
            << attribute << " " << threads << " " << in_all;
      }
      const auto actual = told(mode, "threads_per_threadgroup", threads, in_all);
      for (std::uint32_t i = 0; i < in_all; ++i)
        EXPECT_EQ(actual[i], std::min(threads, in_all - i / threads * threads)) << i << " of " << in_all;
    }
  }
}

}  // namespace
}  // namespace assay::simulator
