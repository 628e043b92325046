#include "harness/draft/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "harness/device/planned_schedule.hpp"
#include "harness/draft/doubt.hpp"
#include "harness/draft/measure.hpp"
#include "harness/draft/probe.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::draft {
namespace {

/// "x was guessed to be half [M, N]".
std::string taken_for(const DraftBuffer& buffer) {
  return fmt::format("{} was {} to be {} [{}]", buffer.name, buffer.shape_told ? "said" : "guessed",
                     buffer.type, fmt::join(buffer.shape, ", "));
}

std::string elements(std::size_t count) {
  return count == 1 ? "1 element" : fmt::format("{} elements", grouped(count));
}

/// "1,024" as reports write it.
std::size_t ungrouped(std::string text) {
  std::erase(text, ',');
  return std::stoull(text);
}

/// What a report calls so: members of structs by their paths.
const DraftBuffer* reported(const Draft& draft, const std::string& name) {
  for (const DraftBuffer& one : draft.buffers) {
    if (one.path == name) return &one;
  }
  return draft.find(name);
}

/// One that is long enough: of one element, the first size of the case that is as large, or else so many; a
/// few elements more, or a last side that is so many times as long.
std::string longer(const Draft& draft, const std::string& report, const std::vector<std::string>& shape,
                   std::size_t has, std::size_t needs) {
  if (has == 0 || shape.empty() || (shape.size() == 1 && shape.front() == "1")) {
    for (const auto& one : draft.dimensions) {
      if (size_in(report, one.name) >= static_cast<std::int64_t>(needs)) return one.name;
    }
    return std::to_string(needs);
  }
  std::vector<std::string> sides;
  for (const auto& side : shape)
    sides.push_back(side.find_first_of("+-") == std::string::npos ? side : '(' + side + ')');
  if (needs - has <= std::max<std::size_t>(has / 2, 8))
    return fmt::format("{}+{}", fmt::join(sides, "*"), needs - has);
  sides.back() += fmt::format("*{}", (needs + has - 1) / has);
  return fmt::format("{}", fmt::join(sides, ","));
}

std::string option_for_shape(const Draft& draft, const std::string& report, const DraftBuffer& buffer,
                             std::size_t has, std::size_t needs) {
  return fmt::format("if it may, say the shape with {0} '{1}={2}[{3}]' (or {1}={2}[SIZES])", buffer.option(),
                     buffer.name, buffer.type, longer(draft, report, buffer.shape, has, needs));
}

}  // namespace

std::vector<std::string> explain(const Draft& draft, Verdict verdict, const std::string& report) {
  std::vector<std::string> lines;
  const std::string text = std::regex_replace(report, std::regex("\\s+"), " ");
  const auto add = [&](std::string line) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  };
  const auto each = [&](const std::regex& pattern, const auto& take) {
    for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
      if (const DraftBuffer* buffer = reported(draft, (*match)[1].str())) take(*buffer, *match);
    }
  };
  static const std::regex kBehind(
      "(?:read|write) at byte [0-9,]+ is past the end of `([^`]+)`, which has [0-9,]+");
  static const std::regex kByte(
      "(read|write) at byte ([0-9,]+) is past the end of `[^`]+`, which has ([0-9,]+)");
  static const std::regex kBefore("(?:read|write) is [0-9,]+ bytes? before the start of `([^`]+)`");
  static const std::regex kWaiting("needs ([0-9,]+) threadgroups at once");
  static const std::regex kInFlight("none of the ([0-9,]+) threadgroups in flight makes\\. ([0-9,]+) more");
  static const std::regex kInput("the kernel wrote to its input ([A-Za-z0-9_]+)");
  static const std::regex kUnwritten("elements of ([A-Za-z0-9_]+) were never written");
  static const std::regex kUndefined("read of `([^`]+)` at byte [0-9,]+, which nobody has written");
  if (verdict == Verdict::out_of_bounds) {
    each(kBehind, [&](const DraftBuffer& buffer, const std::smatch& match) {
      std::smatch byte;
      const std::string words = match.str();
      if (!std::regex_search(words, byte, kByte)) return;
      const std::size_t size = bytes_of_type(buffer.type);
      add(fmt::format(
          "{}, which has {} in this case, but the kernel {} element {}; {}", taken_for(buffer),
          elements(ungrouped(byte[3]) / size), byte[1] == "read" ? "reads" : "writes",
          grouped(ungrouped(byte[2]) / size),
          option_for_shape(draft, text, buffer, ungrouped(byte[3]) / size, ungrouped(byte[2]) / size + 1)));
    });
    each(kBefore, [&](const DraftBuffer& buffer, const std::smatch&) {
      add(fmt::format("{}, and the kernel goes before its first element: an index is negative",
                      taken_for(buffer)));
    });
  }
  std::smatch waiting;
  std::size_t at_once = 0;
  if (verdict == Verdict::needs_residency && std::regex_search(text, waiting, kWaiting))
    at_once = ungrouped(waiting[1]);
  if (verdict == Verdict::deadlock && std::regex_search(text, waiting, kInFlight))
    at_once = ungrouped(waiting[1]) + ungrouped(waiting[2]);
  if (at_once > device::kMostInFlight) {
    // By the first of its sizes; a launch may have more than one threadgroup for each.
    const auto named = std::find_if(draft.dimensions.begin(), draft.dimensions.end(), [&](const auto& one) {
      return std::find(draft.grid.begin(), draft.grid.end(), one.name) != draft.grid.end();
    });
    add(fmt::format(
        "the simulator has room for {0} threadgroups at once; keep the grid smaller with {1}, and "
        "if the host makes sure that they run at once, add --resident-threadgroups {0}",
        device::kMostInFlight,
        named == draft.dimensions.end() ? std::string("--dim")
                                        : fmt::format("--dim {}=1:{}", named->name, device::kMostInFlight)));
  } else if (at_once > 0) {
    add(fmt::format("if the host makes sure that {} threadgroups run at once, add --resident-threadgroups {}",
                    grouped(at_once), at_once));
  }
  each(kInput, [&](const DraftBuffer& buffer, const std::smatch&) {
    add(fmt::format("{0} was taken for an input; if the kernel may write to it, add {1} {0}=:inout",
                    buffer.name, buffer.option()));
  });
  each(kUnwritten, [&](const DraftBuffer& buffer, const std::smatch&) {
    add(fmt::format(
        "{}, and the kernel must write all of it; if it need not, add {} {}=:inout; if the grid is too "
        "small, say it with --grid",
        taken_for(buffer), buffer.option(), buffer.name));
  });
  each(kUndefined, [&](const DraftBuffer& buffer, const std::smatch&) {
    add(
        fmt::format("{0} is an output, which starts with garbage; if the kernel is given values in it, add "
                    "{1} {0}=:inout",
                    buffer.name, buffer.option()));
  });
  const bool threads_matter = verdict == Verdict::race || verdict == Verdict::uninitialised_read ||
                              verdict == Verdict::divergent_barrier || verdict == Verdict::out_of_bounds;
  if (threads_matter && !draft.threads_known && lines.empty()) {
    const auto& t = draft.threads;
    add(fmt::format("{} threads in a threadgroup are a guess; if there are others, say so with --threads",
                    t.x * t.y * t.z));
  }
  return lines;
}

}  // namespace assay::draft
