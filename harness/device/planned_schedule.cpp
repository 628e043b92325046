#include "harness/device/planned_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace assay::device {
namespace {

// A text is a line that anybody may write.
constexpr std::size_t kMostDecisions = std::size_t{1} << 20;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  /// All of the text is "3", or where there may be two numbers "3:2"; the second is 0 if it is not there.
  std::pair<std::uint64_t, std::uint64_t> read_numbers(bool two) {
    const std::uint64_t first = number(), second = two && take(':') ? number() : 0;
    if (!text_.empty()) fail();
    return {first, second};
  }

  std::vector<Decision> read() {
    std::vector<Decision> all;
    do {
      Decision one;
      one.threadgroup = number();
      if (take(':')) one.value = number();
      const std::uint64_t times = take('x') ? number() : 1;
      if (times < 1 || times > kMostDecisions - all.size()) fail();
      all.insert(all.end(), times, one);
    } while (take('.'));
    if (!text_.empty()) fail();
    return all;
  }

 private:
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc()) fail();
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  [[noreturn]] static void fail() {
    throw std::invalid_argument(
        "schedule: not understood; write one_by_one, backwards, lock_step, ahead:N, behind:N, ahead:N:AFTER, "
        "zigzag:N, or a "
        "schedule as a failure prints it, such as 0.1x2.0:1");
  }

  std::string_view text_;
};

}  // namespace

std::uint64_t zigzag(std::uint64_t which, std::uint64_t index, std::uint64_t count) {
  const std::uint64_t steps = (index + 1) / 2 % count;
  return (which % count + (index % 2 == 1 ? steps : count - steps)) % count;
}

PlannedSchedule schedule_of(std::string_view text) {
  using Order = SchedulePlan::Order;
  for (const auto& [word, order] : {std::pair<std::string_view, Order>{"one_by_one", Order::one_by_one},
                                    {"backwards", Order::backwards},
                                    {"lock_step", Order::lock_step}}) {
    if (text == word) return {.plan = {.order = order}};
  }
  for (const auto& [word, order] : {std::pair<std::string_view, Order>{"ahead:", Order::ahead},
                                    {"behind:", Order::behind},
                                    {"zigzag:", Order::zigzag}}) {
    if (!text.starts_with(word)) continue;
    const auto [which, after] = Reader(text.substr(word.size())).read_numbers(order != Order::zigzag);
    return {.plan = {.order = order, .which = which, .after = after}};
  }
  return {.plan = {.order = Order::said, .decisions = Reader(text).read()}};
}

bool dependent(std::span<const Touch> a, std::span<const Touch> b, bool fences_count) {
  return std::any_of(a.begin(), a.end(), [&](const Touch& one) {
    // Fences do nothing that others could see but to loads.
    if (one.address == kFenceOrder && !fences_count) return false;
    return std::any_of(b.begin(), b.end(), [&](const Touch& other) {
      return one.address == other.address && (one.writes || other.writes);
    });
  });
}

std::string to_text(std::span<const Decision> decisions) {
  std::string text;
  for (std::size_t i = 0; i < decisions.size();) {
    const Decision& one = decisions[i];
    std::size_t same = 1;
    while (i + same < decisions.size() && decisions[i + same] == one) ++same;
    text += fmt::format("{}{}", text.empty() ? "" : ".", one.threadgroup);
    if (one.value != 0) text += fmt::format(":{}", one.value);
    if (same > 1) text += fmt::format("x{}", same);
    i += same;
  }
  return text;
}

}  // namespace assay::device
