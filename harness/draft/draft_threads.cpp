// How many threads a threadgroup has: what was told, what the text says, or what the kernel runs with.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/device/grouped.hpp"
#include "harness/draft/trial.hpp"
#include "harness/verify/shown.hpp"

namespace assay::draft {
namespace {

/// Seconds of processor time that runs of the kernel may take to find its sizes: with the first number of
/// threads, with each other, and the least and the most of all that a draft takes.
#ifdef ASSAY_UNDER_SANITIZER
constexpr double kMeasure_s = 90, kOther_s = 30, kLeast_s = 5, kDraft_s = 150;  // several times slower
#else
constexpr double kMeasure_s = 6, kOther_s = 1.5, kLeast_s = 0.5, kDraft_s = 11;
#endif

}  // namespace

void Drafting::threads() {
  auto& threads = draft_.threads;
  const auto& kernel = draft_.kernel;
  draft_.in_threads = kernel.used_axes_of("thread_position_in_grid") > 0;
  if (told_.grid_in_threads) draft_.in_threads = *told_.grid_in_threads;
  draft_.threads_known = told_.threads || kernel.threads || !kernel.threads_matter;
  if (told_.threads) {
    threads = *told_.threads;
    return;
  }
  const unsigned axes = std::max(kernel.used_axes_of("thread_position_in_grid"),
                                 kernel.used_axes_of("thread_position_in_threadgroup"));
  device::Size3 guess_of{axes == 2 ? 256U : 128U, 1, 1};
  std::string why = "a common number";
  bool flat = true;
  const std::uint32_t most = compiled_.most_threads;
  if (kernel.threads) {
    std::tie(guess_of, why, flat) =
        std::tie(kernel.threads->threads, kernel.threads->why, kernel.threads->flat);
  } else if (most != 0) {
    guess_of.x = most;
    why = "max_total_threads_per_threadgroup";
  }
  if (most != 0 && guess_of.x * guess_of.y * guess_of.z > most) guess_of = {most, 1, 1}, flat = true;
  threads = flat ? laid_out(guess_of.x, axes) : guess_of;
  threads_guess_ = draft_.guesses.size();
  guess(
      fmt::format("{} threads in a threadgroup ({}); change it with --threads", threads_text(threads), why));
}

device::Size3 Drafting::laid_out(std::uint32_t total, unsigned axes) {
  std::uint32_t x = 1;
  while (x * x < total) x *= 2;
  return axes >= 2 && total % x == 0 ? device::Size3{x, total / x, 1} : device::Size3{total, 1, 1};
}

MeasureRequest Drafting::with_threads(const device::Size3& threads) const {
  MeasureRequest request = request_;
  request.source = draft_.source;
  request.in_threads = draft_.in_threads;
  request.threads = threads;
  request.resident_threadgroups = draft_.resident_threadgroups;
  request.dimensions.clear();
  for (std::size_t i = 0; i < draft_.dimensions.size(); ++i)
    request.dimensions.push_back(sizes_of(draft_.dimensions[i], i));
  request.threadgroup_memory.clear();
  for (const auto& one : threadgroup_bytes(threads)) request.threadgroup_memory.emplace_back(one.bytes);
  return request;
}

void Drafting::try_threads() {
  if (draft_.threads_known) return;
  const device::Size3 first = draft_.threads;
  const auto others = other_threads(first, draft_.kernel, compiled_.most_threads);
  std::vector<MeasureRequest> requests = {with_threads(first)};
  for (const auto& one : others) requests.push_back(with_threads(one));
  say(fmt::format("trying {} numbers of threads", requests.size()));
  const auto faults = faults_inside(requests);
  std::string& line = draft_.guesses[threads_guess_];
  const auto clean = std::find(faults.begin(), faults.end(), std::optional<std::string>(""));
  if (clean != faults.end() && clean != faults.begin() && faults.front()) {
    draft_.threads = others[static_cast<std::size_t>(clean - faults.begin()) - 1];
    line = fmt::format(
        "{} threads in a threadgroup, because the kernel faults with {} ({}); change it with --threads",
        threads_text(draft_.threads), threads_text(first), shown(*faults.front(), 200));
  }
}

std::optional<Measured> Drafting::measured_with_any_threads(std::string& why) {
  request_.dimensions.clear();
  for (std::size_t i = 0; i < draft_.dimensions.size(); ++i)
    request_.dimensions.push_back(sizes_of(draft_.dimensions[i], i));
  const TriedGrids tried = [&](std::size_t done, std::size_t of) {
    say(fmt::format("trying sizes of the grid: {} of {}", device::grouped(done), device::grouped(of)));
  };
  const auto left = [&](double most_s) {
    return std::clamp(kDraft_s - (processor_s() - begun_s_), kLeast_s, most_s);
  };
  auto measured = measure(request_, left(kMeasure_s), why, tried);
  if (!measured && why.find("signal") != std::string::npos) {  // ones led it far away: indices, perhaps
    request_.zeros = true;
    std::string again;
    measured = measure(request_, left(kMeasure_s), again, tried);
    request_.zeros = measured.has_value();
  }
  if (measured || told_.threads || why.find("does not end") != std::string::npos) return measured;
  const device::Size3 first = draft_.threads;
  std::vector<device::Size3> others = {{32, 1, 1}, {64, 1, 1}, {128, 1, 1}, {256, 1, 1}};
  if (first.y > 1) others = {{32, 8, 1}, {8, 8, 1}, {32, 4, 1}, {32, 32, 1}, {16, 8, 1}};
  for (const auto& threads : others) {
    if (threads == first || (compiled_.most_threads != 0 && threads.x * threads.y > compiled_.most_threads))
      continue;
    request_.threads = threads;
    std::string again;
    auto with_these = measure(request_, left(kOther_s), again, tried);
    if (!with_these || (measured && leaves_texels(*with_these))) continue;
    measured = std::move(with_these);
    draft_.threads = threads;
    draft_.guesses[threads_guess_] = fmt::format(
        "{} threads in a threadgroup, because the kernel faults with {} ({}); change it with --threads",
        threads_text(threads), threads_text(first), shown(why));
    if (!leaves_texels(*measured)) break;
  }
  request_.threads = draft_.threads;
  return measured;
}

bool Drafting::leaves_texels(const Measured& measured) {
  return std::any_of(measured.textures.begin(), measured.textures.end(),
                     [](const MeasuredBuffer& one) { return one.stored && !one.filled; });
}

std::string Drafting::threads_text(const device::Size3& t) {
  if (t.z > 1) return fmt::format("{} x {} x {}", t.x, t.y, t.z);
  return t.y == 1 ? fmt::format("{}", t.x) : fmt::format("{} x {}", t.x, t.y);
}

}  // namespace assay::draft
