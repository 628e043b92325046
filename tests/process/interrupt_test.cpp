// Being asked to end is noted, once at a time, and leaves signals as they were.
#include "harness/fuzz/stop_request.hpp"

#include <gtest/gtest.h>

namespace assay::fuzz {
namespace {

class StopRequests : public testing::TestWithParam<int> {};

TEST_P(StopRequests, AreNotedAndForgotten) {
  {
    const StopRequest stop;
    EXPECT_FALSE(stop.made());
    std::raise(GetParam());
    EXPECT_TRUE(stop.made());
  }
  EXPECT_FALSE(StopRequest().made());
  EXPECT_EXIT(std::raise(GetParam()), testing::KilledBySignal(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, StopRequests, testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace assay::fuzz
