#include "harness/device/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace assay::device {
namespace {

// A text is a line that anybody may write.
constexpr std::size_t kMostDecisions = std::size_t{1} << 20;

std::size_t first_able(std::span<const Waiting> aside) {
  const auto able = std::find_if(aside.begin(), aside.end(), [](const Waiting& one) { return one.able; });
  return static_cast<std::size_t>(able - aside.begin());
}

/// Each runs as far as it can. Who waits for nothing any more goes on before another begins.
class OneByOne final : public Decisions {
 public:
  explicit OneByOne(bool backwards) : backwards_(backwards) {}

  std::uint64_t begins(std::uint64_t index, std::uint64_t count) const override {
    return backwards_ ? count - 1 - index : index;
  }
  bool sets_aside(bool) override { return false; }
  std::size_t next(const Situation& situation) override {
    const std::size_t able = first_able(situation.aside);
    // Where all wait and all have begun, the one that has waited longest looks again.
    return able == situation.aside.size() && !situation.more ? 0 : able;
  }
  std::size_t value(std::size_t) override { return 0; }

 private:
  bool backwards_;
};

class Said final : public Decisions {
 public:
  explicit Said(std::vector<Decision> decisions) : decisions_(std::move(decisions)) {}

  void begin_launch() override { at_ = 0; }
  bool sets_aside(bool) override { return true; }
  std::size_t next(const Situation& situation) override {
    const auto& aside = situation.aside;
    if (situation.more) return aside.size();
    value_ = 0;
    const std::size_t able = first_able(aside);
    if (able == aside.size()) return 0;
    if (at_ == decisions_.size()) return able;
    const Decision& one = decisions_[at_++];
    value_ = one.value;
    const auto found = std::find_if(aside.begin(), aside.end(), [&](const Waiting& waiting) {
      return waiting.threadgroup == one.threadgroup;
    });
    // A kernel that was changed since may not get there: then any order is as good.
    return found == aside.end() ? able : static_cast<std::size_t>(found - aside.begin());
  }
  std::size_t value(std::size_t count) override { return std::min(value_, count - 1); }

 private:
  std::vector<Decision> decisions_;
  std::size_t at_ = 0, value_ = 0;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

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
        "schedule: not understood; write one_by_one, backwards, or a schedule as a failure prints it, such "
        "as "
        "0.1x2.0:1");
  }

  std::string_view text_;
};

}  // namespace

std::unique_ptr<Decisions> decisions_of(std::string_view text) {
  if (text == "one_by_one") return std::make_unique<OneByOne>(false);
  if (text == "backwards") return std::make_unique<OneByOne>(true);
  return std::make_unique<Said>(Reader(text).read());
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
