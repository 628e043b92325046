#include "harness/report/page/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/verify/judge.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::report::page {
namespace {

constexpr double kTimelineWidth = 400, kFirstLine = 110, kSecondLine = 290, kTimelineTop = 46,
                 kTimelineStep = 46;

std::string verb_of(const device::Access& access) { return access.write.value_or(true) ? "write" : "read"; }

// "thread 0", "simdgroup 0": short enough to stand above a line.
std::string short_agent(const device::Access& access) {
  if (access.thread) return fmt::format("thread {}", *access.thread);
  if (access.simdgroup) return fmt::format("simdgroup {}", *access.simdgroup);
  return access.agent.size() <= 26 ? access.agent : access.agent.substr(0, 25) + "\u2026";
}

std::string second_line_of(const device::Access& access) {
  if (access.thread && access.lane)
    return fmt::format("simdgroup {}, lane {}", access.simdgroup.value_or(0), *access.lane);
  return access.simdgroup ? "as a whole" : "";
}

std::string memory_of(const device::PassedBarrier& barrier) {
  if (barrier.orders_device && barrier.orders_threadgroup) return "device and threadgroup memory";
  if (barrier.orders_device) return "device memory only";
  return barrier.orders_threadgroup ? "threadgroup memory only" : "no memory";
}

std::string name_of_barrier(const device::PassedBarrier& barrier) {
  return barrier.simdgroup ? "simdgroup_barrier" : "threadgroup_barrier";
}

std::string barrier_words(const device::PassedBarrier& barrier) {
  const auto whose =
      barrier.simdgroup ? fmt::format("simdgroup {}", *barrier.simdgroup) : "all threads of the threadgroup";
  const auto times = barrier.count > 1 ? fmt::format(", {} times", grouped(barrier.count)) : "";
  return fmt::format("{} at {}{}: passed by {}, orders {}", name_of_barrier(barrier),
                     assay::to_text(barrier.place), times, whose, memory_of(barrier));
}

bool covers(const device::PassedBarrier& barrier, const device::Access& access) {
  return !barrier.simdgroup || access.simdgroup == barrier.simdgroup;
}

/// What the drawing and the list go through, from the first to the last.
struct Story {
  const device::Fault& race;
  const device::Access& first;   // the earlier access
  const device::Access& second;  // the one that was reported
  std::vector<const device::PassedBarrier*> before, between;

  explicit Story(const device::Fault& fault)
      : race(fault), first(fault.accesses[1]), second(fault.accesses[0]) {
    for (const auto& barrier : fault.barriers) (barrier.between ? between : before).push_back(&barrier);
  }

  bool across_threadgroups() const { return race.scope == 2; }

  std::string gap() const {
    if (across_threadgroups()) return "no barrier reaches across threadgroups";
    if (between.empty()) return race.more_barriers ? "no barrier on record" : "no barrier between them";
    return "none of these orders the two";
  }
};

class Drawer {
 public:
  Html draw(const Story& story) {
    heads(story);
    for (const auto* barrier : story.before) bar(*barrier, story);
    access(story.first, kFirstLine);
    if (story.between.empty()) {
      gap(story.gap());
    } else {
      for (const auto* barrier : story.between) bar(*barrier, story);
    }
    access(story.second, kSecondLine);
    Html lines;
    for (const double x : {kFirstLine, kSecondLine})
      lines += void_tag("line", {{"x1", coordinate(x)},
                                 {"y1", coordinate(kTimelineTop - 6)},
                                 {"x2", coordinate(x)},
                                 {"y2", coordinate(y_ - kTimelineStep / 2 + 8)},
                                 {"class", "life"}});
    return lines + over_;
  }
  double height() const { return y_ - kTimelineStep / 2 + 14; }

 private:
  void heads(const Story& story) {
    const auto head = [&](const device::Access& who, double x) {
      over_ += svg_text(x, 16, short_agent(who), "strong", "middle");
      over_ += svg_text(x, 31, second_line_of(who), "faint-text small-text", "middle");
    };
    head(story.first, kFirstLine);
    head(story.second, kSecondLine);
  }

  void bar(const device::PassedBarrier& barrier, const Story& story) {
    const bool left = covers(barrier, story.first), right = covers(barrier, story.second);
    const double from = left ? kFirstLine - 34 : kSecondLine - 34,
                 to = right ? kSecondLine + 34 : kFirstLine + 34;
    over_ += rectangle(from, y_ + 4, to - from, 6, "barrier");
    const auto times = barrier.count > 1 ? fmt::format(" \u00d7{}", barrier.count) : "";
    over_ += svg_text((from + to) / 2, y_ - 3,
                      fmt::format("{} {}{}", name_of_barrier(barrier), short_place(barrier.place), times),
                      "small-text", "middle");
    y_ += kTimelineStep - 6;
  }

  void access(const device::Access& one, double x) {
    over_ +=
        void_tag("circle", {{"cx", coordinate(x)}, {"cy", coordinate(y_)}, {"r", "7"}, {"class", "access"}});
    const bool left = x == kFirstLine;
    over_ += svg_text(left ? x + 14 : x - 14, y_ + 4,
                      fmt::format("{} {}", verb_of(one), short_place(one.place)), "", left ? "start" : "end");
    y_ += kTimelineStep;
  }

  void gap(const std::string& words) {
    over_ += rectangle(kFirstLine - 34, y_ - 18, kSecondLine - kFirstLine + 68, 26, "gap");
    over_ += svg_text((kFirstLine + kSecondLine) / 2, y_ - 1, words, "bad-text", "middle");
    y_ += kTimelineStep;
  }

  Html over_;
  double y_ = kTimelineTop + 18;
};

// "write by thread 0 ...": its first word is what it does.
Html event(const device::Access& access) {
  const auto verb = verb_of(access);
  const auto rest = access.what.starts_with(verb) ? access.what.substr(verb.size()) : " by " + access.agent;
  return tag("li", {tag("b", verb), rest, " at ", tag("code", assay::to_text(access.place))});
}

Html list_of(const Story& story) {
  Html events;
  for (const auto* barrier : story.before) events += tag("li", barrier_words(*barrier));
  events += event(story.first);
  for (const auto* barrier : story.between) events += tag("li", barrier_words(*barrier));
  events += tag("li", {{"class", "no-barrier"}}, story.gap());
  events += event(story.second);
  return tag("ol", {{"class", "events"}}, events);
}

}  // namespace

Html timeline(const device::Fault& race, Ids& ids) {
  if (race.kind != device::FaultKind::race || race.accesses.size() != 2) return {};
  const Story story(race);
  Drawer drawer;
  const Html content = drawer.draw(story);
  const auto about = fmt::format("First {} by {} at {}, then {} by {} at {}: {}.", verb_of(story.first),
                                 story.first.agent, assay::to_text(story.first.place), verb_of(story.second),
                                 story.second.agent, assay::to_text(story.second.place), story.gap());
  return tag("div", {{"class", "figures"}},
             {tag("figure",
                  drawing(kTimelineWidth, drawer.height(), "The two accesses of the race, time downwards",
                          about, content, ids) +
                      tag("figcaption", "Time runs downwards. A bar is a barrier that its threads passed.")),
              list_of(story)});
}

}  // namespace assay::report::page
