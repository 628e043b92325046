#include "harness/draft/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "harness/draft/named_constants.hpp"

namespace assay::draft {
namespace {

constexpr std::int64_t kMostThreads = 1024, kLanes = 32;
constexpr std::size_t kFarthest = 60;  // items from the beginning of a loop to its stride

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

/// `for (variable = place * each; ...; variable += by)`
struct Stride {
  std::string variable;
  Item place, by;
  std::int64_t each = 1;
};

std::vector<Stride> strides_of(const std::vector<Item>& items) {
  std::vector<Stride> all;
  for (std::size_t i = 0; i + 4 < items.size(); ++i) {
    if (!items[i].word || !items[i + 1].is("=") || items[i + 2].place.empty()) continue;
    Stride one{items[i].text, items[i + 2], {}, 1};
    if (items[i + 3].is("*")) {
      if (!items[i + 4].value || *items[i + 4].value < 1) continue;
      one.each = *items[i + 4].value;
    }
    const std::size_t end = std::min(items.size(), i + kFarthest);
    for (std::size_t j = i + 3; j + 3 < end && !items[j].is("{"); ++j) {
      if (items[j].text != one.variable || !items[j + 1].is("+=")) continue;
      std::size_t by = j + 2;
      while (by + 2 < end && items[by].word && (items[by + 1].is(".") || items[by + 1].is("->"))) by += 2;
      one.by = items[by];
      if (by + 1 < end && (items[by + 1].is(")") || items[by + 1].is(",") || items[by + 1].is(";")))
        all.push_back(one);
      break;
    }
  }
  return all;
}

class ThreadSearch {
 public:
  ThreadSearch(const LiveText& text, const device::KernelSource& source)
      : parameters_(text.parameters), items_(items_of(text)), named_(named_constants(text, source)) {}

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
    bool simd = used(kLane) > 0;
    for (const Item& one : items_) {
      if (one.is("threadgroup_barrier")) return std::nullopt;
      simd |= one.word && (one.text.starts_with("simd_") || one.text.starts_with("simdgroup_"));
    }
    if (simd) return ThreadClue{{kLanes, 1, 1}, "nothing in the text tells simdgroups apart"};
    return used(kGroup) > 0 ? std::optional(ThreadClue{{1, 1, 1}, "nothing in the text tells threads apart"})
                            : std::nullopt;
  }

  std::optional<ThreadClue> by_name() const {
    std::optional<ThreadClue> found;
    for (const auto& [name, values] : named_) {
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
    for (const auto& [name, values] : named_) {
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
    for (const Stride& one : strides_of(items_)) {
      if (!one.by.value || *one.by.value % one.each != 0) continue;
      take(one.place, *one.by.value / one.each,
           fmt::format("`{} += {}` in the text", one.variable, one.by.text));
    }
  }

  /// `group * 64 + thread`, in any order. Behind another word than the group, only where it is a number of
  /// threads that hosts choose: `part * 128 + thread`.
  void begins() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].place.empty() || items_[i].is_place(kGroup) || items_[i].is_place(kLane)) continue;
      std::optional<std::size_t> first;
      if (i >= 4 && items_[i - 1].is("+")) {
        const std::size_t last = items_[i - 2].is(")") ? i - 3 : i - 2;
        if (last >= 2 && items_[last - 1].is("*")) first = last - 2;
      }
      if (!first && i + 4 < items_.size() && items_[i + 1].is("+")) {
        const std::size_t begin = items_[i + 2].is("(") ? i + 3 : i + 2;
        if (begin + 2 < items_.size() && items_[begin + 1].is("*")) first = begin;
      }
      if (!first) continue;
      const Item &a = items_[*first], &b = items_[*first + 2];
      const Item &number = a.value ? a : b, &of = a.value ? b : a;
      if (!number.value || of.value) continue;
      const bool group = of.is_place(kGroup);
      if (!group && (!of.word || *number.value % kLanes != 0 || items_[i].is_place(kSimdgroup))) continue;
      take(items_[i], *number.value,
           fmt::format("`{} * {} + {}` in the text", of.text, number.text, items_[i].text));
    }
  }

  /// `threadgroup float x[64]` with `x[thread]`, or `x + thread`; `x[16][17]` with `x[row][column]`, where
  /// the last element of a row keeps banks of memory apart.
  void arrays() {
    for (std::size_t i = 0; i + 5 < items_.size(); ++i) {
      if (!items_[i].is("threadgroup")) continue;
      std::size_t name = i + 1;
      while (name + 1 < items_.size() && !items_[name + 1].is("[") && !items_[name].is(";") && name < i + 9)
        ++name;
      std::vector<std::int64_t> sides;
      for (std::size_t at = name + 1; at + 2 < items_.size() && items_[at].is("["); at += 3) {
        if (!items_[at + 1].value || !items_[at + 2].is("]")) break;
        sides.push_back(*items_[at + 1].value);
      }
      if (sides.empty() || sides.size() > 2 || !items_[name].word) continue;
      if (sides.size() == 2 && sides[1] == sides[0] + 1) sides[1] = sides[0];
      if (sides.size() == 1 && (sides[0] % kLanes != 0 || is_of_simdgroups(items_[name].text))) continue;
      for (std::size_t j = name + 1; j + 3 < items_.size(); ++j) {
        if (items_[j].text != items_[name].text) continue;
        for (std::size_t axis = 0; axis < sides.size(); ++axis) {
          const std::size_t at = j + 1 + 3 * axis;
          const bool element = at + 2 < items_.size() && items_[at].is("[") && items_[at + 2].is("]");
          const bool pointer = sides.size() == 1 && items_[j + 1].is("+");
          if ((element || pointer) && !items_[at + 1].is_place(kSimdgroup))
            take(items_[at + 1], sides[axis],
                 fmt::format("threadgroup memory `{}` has an element for each", items_[name].text));
        }
      }
    }
  }

  /// `x[thread / 32]`, `x[thread >> 5]`, `x[simdgroup]`: a slot for each simdgroup, not for each thread.
  bool is_of_simdgroups(const std::string& array) const {
    for (std::size_t i = 0; i + 5 < items_.size(); ++i) {
      if (items_[i].text != array || !items_[i + 1].is("[")) continue;
      const Item& place = items_[i + 2];
      if (place.is_place(kSimdgroup)) return true;
      if (place.place.empty()) continue;
      // ">>" is two tokens: it may close two lists of a template as well.
      const bool shift = items_[i + 3].is(">") && items_[i + 4].is(">");
      const auto by = items_[i + (shift ? 5 : 4)].value;
      if (by && ((items_[i + 3].is("/") && *by == kLanes) || (shift && *by == 5))) return true;
    }
    return false;
  }

  /// Notes that there are so many of this place; the first that is found counts.
  void take(const Item& place, std::int64_t count, std::string why) {
    if (count < 1 || count > kMostThreads) return;
    if (place.is_place(kIndex) || place.is_place(kSimdgroup)) {
      const std::int64_t threads = count * (place.is_place(kSimdgroup) ? kLanes : 1);
      if (flat_ != 0 || threads > kMostThreads || threads < kLanes) return;
      flat_ = static_cast<std::uint32_t>(threads);
    } else if (place.is_place(kGrid) && used(kGrid) == 1) {
      if (flat_ != 0 || count < kLanes) return;
      flat_ = static_cast<std::uint32_t>(count);
      all_ = true;
    } else if (place.is_place(kPosition)) {
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

  const std::vector<Parameter>& parameters_;
  std::vector<Item> items_;
  std::vector<NamedConstant> named_;
  std::uint32_t flat_ = 0;
  bool all_ = false;  // of the grid
  std::array<std::uint32_t, 3> sides_ = {0, 0, 0};
  std::string why_;
};

}  // namespace

std::optional<ThreadClue> threads_in(const LiveText& text, const device::KernelSource& source) {
  return ThreadSearch(text, source).run();
}

std::vector<StrideClue> strides_in(const LiveText& text) {
  std::vector<StrideClue> all;
  for (const Stride& one : strides_of(items_of(text))) {
    const bool whole = one.each == 1 && one.by.word && !one.by.value && one.by.place.empty();
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const StrideClue& other) { return other.scalar == one.by.text; });
    if (!whole || known) continue;
    using Of = StrideClue::Of;
    if (one.place.is_place(kGrid)) all.push_back({one.by.text, Of::grid});
    if (one.place.is_place(kGroup)) all.push_back({one.by.text, Of::threadgroups});
    if (one.place.is_place(kIndex) || one.place.is_place(kPosition))
      all.push_back({one.by.text, Of::threads});
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
