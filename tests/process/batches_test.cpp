// Work in processes: how many at a time, and what becomes of a batch whose process dies.
#include "harness/process/batches.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <map>
#include <stdexcept>

namespace assay::process {
namespace {

TEST(Slots, AreGivenBackWhenTheyGoOutOfScope) {
  const Slots slots(2);
  auto one = slots.try_take();
  {
    const auto two = slots.try_take();
    EXPECT_TRUE(one && two);
    EXPECT_FALSE(slots.try_take());
  }
  EXPECT_TRUE(slots.try_take());
  one.reset();
  const auto first = slots.take(), second = slots.take();
  EXPECT_FALSE(slots.try_take());
}

TEST(Slots, AreCountedOverProcesses) {
  const Slots slots(1);
  const auto own = slots.try_take();
  Child child([&](const Reporter& reporter) { reporter.send({{"free", slots.try_take().has_value()}}); });
  while (child.receive()) usleep(1000);
  EXPECT_FALSE(child.next()->at("free").get<bool>());
}

std::vector<std::size_t> up_to(std::size_t count) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(i);
  return all;
}

TEST(Batches, DoEveryPieceOnceThoughProcessesDie) {
  const Slots slots(2);
  // Piece 7 dies in the company of others, after some of them are done.
  const auto work = [](const Batch& batch, const Reporter& reporter) {
    for (const auto piece : batch) {
      if (piece == 7 && batch.size() > 1) raise(SIGKILL);
      reporter.send({{"index", piece}});
    }
  };
  std::map<std::size_t, int> done;
  run_in_batches(slots, up_to(20), 5, work,
                 [&](const nlohmann::json& message) { ++done[message.at("index").get<std::size_t>()]; });
  EXPECT_EQ(done.size(), 20u);
  for (const auto& [piece, times] : done) EXPECT_EQ(times, 1) << piece;
  const auto first = slots.take(), second = slots.take();  // none is lost
}

TEST(Batches, APieceThatDiesAloneIsNamed) {
  const Slots slots(2);
  const auto work = [](const Batch& batch, const Reporter& reporter) {
    for (const auto piece : batch) {
      if (piece == 3) throw std::runtime_error("it will not do");
      reporter.send({{"index", piece}});
    }
  };
  try {
    run_in_batches(slots, up_to(5), 2, work, [](const nlohmann::json&) {});
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "change 3 could not be judged: it will not do");
  }
}

}  // namespace
}  // namespace assay::process
