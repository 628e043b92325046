#include "harness/draft/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace assay::draft {
namespace {

constexpr std::int64_t kMostThreads = 1024, kLanes = 32;

/// What texts call the threads of a threadgroup, in small letters without "_".
constexpr std::array<std::string_view, 22> kThreadNames = {"threads",
                                                           "kthreads",
                                                           "nthreads",
                                                           "numthreads",
                                                           "threadsperthreadgroup",
                                                           "threadgroupsize",
                                                           "tgsize",
                                                           "tg",
                                                           "threadspergroup",
                                                           "groupsizethreads",
                                                           "blockdim",
                                                           "wgsize",
                                                           "wg",
                                                           "tgthreads",
                                                           "numthreadspertg",
                                                           "workgroupsize",
                                                           "glworkgroupsize",
                                                           "tgs",
                                                           "ntg",
                                                           "tpg",
                                                           "kthreadgroupsize",
                                                           "threadsperblock"};
/// What may be a number of threads, or of elements.
constexpr std::array<std::string_view, 4> kBlockNames = {"block", "blocksize", "kblock", "kblocksize"};
constexpr std::array<std::string_view, 6> kSimdgroupNames = {
    "simdgroups", "ksimdgroups", "numsimdgroups", "nsimdgroups", "simdgroupsperthreadgroup", "nsg"};

constexpr std::string_view kIndex = "thread_index_in_threadgroup",
                           kPosition = "thread_position_in_threadgroup",
                           kSimdgroup = "simdgroup_index_in_threadgroup",
                           kGroup = "threadgroup_position_in_grid", kLane = "thread_index_in_simdgroup",
                           kGrid = "thread_position_in_grid";

std::string plain(std::string_view name) {
  std::string small;
  for (const char c : name) {
    if (c != '_') small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return small;
}

template <std::size_t N>
bool one_of(const std::string& word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class ThreadSearch {
 public:
  ThreadSearch(const metal::Outline& text, const std::vector<Parameter>& parameters)
      : text_(text), parameters_(parameters) {}

  std::optional<ThreadClue> run() {
    if (auto clue = alone()) return clue;
    if (auto clue = by_name()) return clue;
    // A tile may have more elements than threads, so strides say more than what a tile begins at, and both
    // more than arrays.
    strides();
    if (auto clue = gathered()) return clue;
    begins();
    if (auto clue = gathered()) return clue;
    if (auto clue = by_block()) return clue;
    arrays();
    return gathered();
  }

 private:
  unsigned used(std::string_view attribute) const {
    unsigned axes = 0;
    for (const Parameter& one : parameters_) {
      if (one.attribute == attribute) axes = std::max(axes, one.used_axes);
    }
    return axes;
  }

  /// Where nothing tells one simdgroup, or one thread, from another, there are no others.
  std::optional<ThreadClue> alone() const {
    for (const auto attribute :
         {kIndex, kPosition, kSimdgroup, std::string_view("thread_position_in_grid"),
          std::string_view("threads_per_threadgroup"), std::string_view("simdgroups_per_threadgroup"),
          std::string_view("dispatch_threads_per_threadgroup")}) {
      if (used(attribute) > 0) return std::nullopt;
    }
    if (text_.waits) return std::nullopt;
    if (text_.in_simdgroups || used(kLane) > 0)
      return ThreadClue{{kLanes, 1, 1}, "nothing in the text tells simdgroups apart"};
    return used(kGroup) > 0 ? std::optional(ThreadClue{{1, 1, 1}, "nothing in the text tells threads apart"})
                            : std::nullopt;
  }

  std::optional<ThreadClue> by_name() const {
    std::optional<ThreadClue> found;
    for (const auto& [name, values] : text_.named) {
      const std::string small = plain(name);
      const bool threads = one_of(small, kThreadNames);
      if (!threads && !one_of(small, kSimdgroupNames)) continue;
      device::Size3 size;
      std::uint32_t* const sides[] = {&size.x, &size.y, &size.z};
      for (std::size_t i = 0; i < values.size() && i < 3; ++i)
        *sides[i] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(values[i], 0, kMostThreads + 1));
      if (!threads) size.x *= kLanes;
      if (!fits(size) || !may_have(size)) continue;
      found = {size, name + (threads ? "" : " * 32") + " in the text", values.size() == 1};
      if (threads) break;
    }
    return found;
  }

  /// As often a side of a tile, which is less than a simdgroup where each thread has one element.
  std::optional<ThreadClue> by_block() const {
    for (const auto& [name, values] : text_.named) {
      if (!one_of(plain(name), kBlockNames) || values.size() != 1) continue;
      const auto side = static_cast<std::uint32_t>(std::clamp<std::int64_t>(values[0], 0, kMostThreads + 1));
      const std::string why = name + " in the text";
      if (used(kPosition) >= 2 && fits({side, side, 1})) return ThreadClue{{side, side, 1}, why};
      if (used(kPosition) < 2 && side % kLanes == 0 && fits({side, 1, 1}))
        return ThreadClue{{side, 1, 1}, why, true};
    }
    return std::nullopt;
  }

  /// `for (i = thread; i < N; i += 64)`
  void strides() {
    for (const auto& one : text_.strides) {
      if (one.by_value == 0 || one.by_value % one.each != 0) continue;
      take(one.place, one.by_value / one.each, fmt::format("`{} += {}` in the text", one.variable, one.by));
    }
  }

  /// `group * 64 + thread`, in any order. Behind another word than the group, only where it is a number of
  /// threads that hosts choose: `part * 128 + thread`.
  void begins() {
    for (const auto& one : text_.begins) {
      const std::string& place = one.place.attribute;
      if (place == kGroup || place == kLane) continue;
      const bool group = one.of_place.attribute == kGroup;
      if (!group && (one.value % kLanes != 0 || place == kSimdgroup)) continue;
      take(one.place, one.value,
           fmt::format("`{} * {} + {}` in the text", one.of, one.number, one.place.text));
    }
  }

  /// `threadgroup float x[64]` with `x[thread]`, or `x + thread`; `x[16][17]` with `x[row][column]`, where
  /// the last element of a row keeps banks of memory apart.
  void arrays() {
    for (const auto& one : text_.arrays) {
      auto sides = one.sides;
      if (sides.empty() || sides.size() > 2) continue;
      if (sides.size() == 2 && sides[1] == sides[0] + 1) sides[1] = sides[0];
      if (sides.size() == 1 && (sides[0] % kLanes != 0 || one.of_simdgroups)) continue;
      for (const auto& [side, place] : one.chosen_by)
        take(place, sides.at(side), fmt::format("threadgroup memory `{}` has an element for each", one.name));
    }
  }

  /// Notes that there are so many of this place; the first that is found counts.
  void take(const metal::ThreadPlace& place, std::int64_t count, std::string why) {
    if (count < 1 || count > kMostThreads) return;
    if (place.attribute == kIndex || place.attribute == kSimdgroup) {
      const std::int64_t threads = count * (place.attribute == kSimdgroup ? kLanes : 1);
      if (flat_ != 0 || threads > kMostThreads || threads < kLanes) return;
      flat_ = static_cast<std::uint32_t>(threads);
    } else if (place.attribute == kGrid && used(kGrid) == 1) {
      if (flat_ != 0 || count < kLanes) return;
      flat_ = static_cast<std::uint32_t>(count);
      all_ = true;
    } else if (place.attribute == kPosition) {
      if (sides_[place.axis] != 0) return;
      sides_[place.axis] = static_cast<std::uint32_t>(count);
    } else {
      return;
    }
    if (why_.empty()) why_ = std::move(why);
  }

  std::optional<ThreadClue> gathered() const {
    if (flat_ != 0) return ThreadClue{{flat_, 1, 1}, why_, true, all_};
    const unsigned axes = used(kPosition);
    device::Size3 size{sides_[0], axes > 1 ? sides_[1] : 1, axes > 2 ? sides_[2] : 1};
    if (axes == 0 || !fits(size)) return std::nullopt;
    return ThreadClue{size, why_, axes == 1};
  }

  /// A vector that another kernel of the file is meant by may have more axes than this one looks at.
  bool may_have(const device::Size3& size) const {
    const unsigned axes = std::max(used(kPosition), used("thread_position_in_grid"));
    return axes == 0 || ((size.y == 1 || axes > 1) && (size.z == 1 || axes > 2));
  }

  static bool fits(const device::Size3& size) {
    const auto product = std::uint64_t{size.x} * size.y * size.z;
    return product > 0 && product <= kMostThreads;
  }

  const metal::Outline& text_;
  const std::vector<Parameter>& parameters_;
  std::uint32_t flat_ = 0;
  bool all_ = false;  // of the grid
  std::array<std::uint32_t, 3> sides_ = {0, 0, 0};
  std::string why_;
};

}  // namespace

std::optional<ThreadClue> threads_in(const metal::Outline& text, const std::vector<Parameter>& parameters) {
  return ThreadSearch(text, parameters).run();
}

std::vector<StrideClue> strides_in(const metal::Outline& text) {
  std::vector<StrideClue> all;
  for (const auto& one : text.strides) {
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const StrideClue& other) { return other.scalar == one.by; });
    if (one.each != 1 || !one.by_scalar || known) continue;
    using Of = StrideClue::Of;
    const std::string& place = one.place.attribute;
    if (place == kGrid) all.push_back({one.by, Of::grid});
    if (place == kGroup) all.push_back({one.by, Of::threadgroups});
    if (place == kIndex || place == kPosition) all.push_back({one.by, Of::threads});
  }
  return all;
}

bool threads_matter(const std::vector<Parameter>& parameters) {
  bool in_grid = false, lane = false;
  for (const Parameter& one : parameters) {
    if (one.kind != Parameter::Kind::position || one.used_axes == 0) continue;
    const std::string& name = one.attribute;
    if (name.find("threadgroup") != std::string::npos) return true;
    in_grid |= name == "thread_position_in_grid";
    lane |= name == kLane || name.find("quadgroup") != std::string::npos;
  }
  return lane && !in_grid;
}

}  // namespace assay::draft
