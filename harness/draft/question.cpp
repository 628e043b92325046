#include "harness/draft/question.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "harness/draft/explain.hpp"
#include "harness/draft/search.hpp"

namespace assay::draft {
namespace {

using Of = Doubt::Of;
using Without = Otherwise::Without;

class Asking {
 public:
  Asking(const Draft& draft, const Rejection& rejection, const std::vector<const Doubt*>& behind,
         const Otherwise& otherwise)
      : draft_(draft),
        rejection_(rejection),
        behind_(behind),
        otherwise_(otherwise),
        fault_(fault_of(rejection.verdict, rejection.failure)) {}

  std::string run() const {
    if (const auto leave = of_residency(); !leave.empty()) return leave;
    if (otherwise_.without == Without::number) return of_number(std::to_string(otherwise_.value));
    const Doubt* const one = likeliest();
    if (one->of == Of::dimension && one->name == otherwise_.number)
      return of_number(fmt::format("{0}:{1}:{0}", otherwise_.value, 16 * otherwise_.value));
    if (otherwise_.axis && (one->of == Of::dimension || one->of == Of::grid)) return of_axis();
    if (one->of == Of::threads && otherwise_.without == Without::threads) {
      const auto& t = otherwise_.threads;
      const std::string threads =
          t.y * t.z == 1 ? fmt::format("{}", t.x) : fmt::format("{},{},{}", t.x, t.y, t.z);
      return fmt::format(
          "with --threads {} the first threadgroup has no such fault; say how many there are: {}", threads,
          one->line);
    }
    if (one->of == Of::threads && !draft_.other_threads.empty()) {
      const auto& t = draft_.other_threads.front().threads;
      return fmt::format("{}, such as --threads {},{}", one->line, t.x, t.y);
    }
    const bool of_shape = one->of == Of::extent || (one->of == Of::unknown_sizes && is_of_fault(*one));
    if (of_shape || one->of == Of::access) {
      const auto lines = explain(draft_, rejection_.verdict, rejection_.text);
      if (!lines.empty()) return lines.front();
    }
    return one->line;
  }

 private:
  /// Threadgroups that wait for each other need so many at once, which the host alone knows.
  std::string of_residency() const {
    const bool waits =
        rejection_.verdict == Verdict::needs_residency || rejection_.verdict == Verdict::deadlock;
    if (!waits || draft_.resident_threadgroups > 1) return {};
    const auto lines = explain(draft_, rejection_.verdict, rejection_.text);
    return lines.empty() || lines.front().find("--resident-threadgroups") == std::string::npos
               ? std::string()
               : lines.front();
  }

  std::string of_number(const std::string& sizes) const {
    return fmt::format(
        "with {0}={1} the first threadgroup has no such fault; if {0} takes only some values, say which, "
        "such "
        "as --dim {0}={2}",
        otherwise_.number, otherwise_.value, sizes);
  }

  /// Threadgroups along that axis run into each other: the kernel may be written for one.
  std::string of_axis() const {
    auto grid = draft_.grid;
    device::Size3 threads = draft_.in_threads ? draft_.threads : device::Size3{1, 1, 1};
    grid.at(*otherwise_.axis) = std::to_string(side_of(threads, *otherwise_.axis));
    return fmt::format(
        "the grid is [{}] {}; with one threadgroup along {} there is no such fault: say the grid, such as "
        "--grid '{}'",
        fmt::join(draft_.grid, ", "), draft_.in_threads ? "threads" : "threadgroups", "xyz"[*otherwise_.axis],
        fmt::join(grid, ","));
  }

  const Doubt* first(Of of, const std::function<bool(const Doubt&)>& fits = {}) const {
    const auto found = std::find_if(behind_.begin(), behind_.end(),
                                    [&](const Doubt* one) { return one->of == of && (!fits || fits(*one)); });
    return found == behind_.end() ? nullptr : *found;
  }

  bool is_of_fault(const Doubt& one) const {
    const DraftBuffer* const buffer = draft_.find(one.name);
    if (fault_ != nullptr && fault_->object == one.name) return true;
    return fault_ != nullptr && buffer != nullptr && is_about(*fault_, *buffer);
  }

  /// The one that decides; or a size of the smallest case that fails is odd: the first of the kernel's own
  /// that is no multiple of 64.
  const Doubt* odd_dimension() const {
    if (!otherwise_.number.empty())
      return first(Of::dimension, [&](const Doubt& one) { return one.name == otherwise_.number; });
    const auto odd = [&](const Doubt& one) {
      const std::string& words = rejection_.failure ? rejection_.failure->test_case : rejection_.text;
      const auto at = words.find(' ' + one.name + '=');
      return at != std::string::npos && std::atoll(words.c_str() + at + one.name.size() + 2) % 64 != 0;
    };
    const Doubt* const found = first(Of::dimension, odd);
    return found != nullptr ? found : first(Of::dimension);
  }

  const Doubt* likeliest() const {
    const auto of_fault = [&](const Doubt& one) { return is_of_fault(one); };
    const auto only_if = [](bool holds, const Doubt* one) { return holds ? one : nullptr; };
    const bool reads_garbage = rejection_.verdict == Verdict::uninitialised_read;
    const bool past = rejection_.verdict == Verdict::out_of_bounds;
    const bool converts = rejection_.verdict == Verdict::undefined && fault_ != nullptr &&
                          fault_->message.find("conversion") != std::string::npos;
    // What happens among the threads of a threadgroup, in memory that is theirs.
    const bool inside =
        fault_ != nullptr && std::none_of(draft_.buffers.begin(), draft_.buffers.end(),
                                          [&](const auto& one) { return is_about(*fault_, one); });
    const auto without = otherwise_.without;
    const bool sizes = without == Without::usual || without == Without::sizes;
    const std::vector<const Doubt*> order = {
        only_if(past, first(Of::unknown_sizes,
                            [&](const Doubt& one) { return !one.name.empty() && is_of_fault(one); })),
        first(Of::constants),
        first(Of::sizes),
        only_if(converts, first(Of::floats)),
        only_if(inside, first(Of::threadgroup_memory)),
        only_if(without == Without::threads, first(Of::threads)),
        only_if(inside && sizes, odd_dimension()),
        first(Of::unknown_sizes, of_fault),
        first(Of::unknown_sizes),
        only_if(reads_garbage, first(Of::access, of_fault)),
        first(Of::threadgroup_memory),
        first(Of::multiple),
        first(Of::indices),
        only_if(without == Without::grid, first(Of::grid)),
        only_if(without == Without::contents, first(Of::contents)),
        only_if(past, first(Of::extent, of_fault)),
        only_if(fault_ != nullptr, odd_dimension()),
        first(Of::access),
        odd_dimension(),
        first(Of::grid),
        first(Of::threads),
        first(Of::scalar),
    };
    const auto found =
        std::find_if(order.begin(), order.end(), [](const Doubt* one) { return one != nullptr; });
    return found == order.end() ? behind_.front() : *found;
  }

  const Draft& draft_;
  const Rejection& rejection_;
  const std::vector<const Doubt*>& behind_;
  const Otherwise& otherwise_;
  const device::Fault* fault_;
};

}  // namespace

std::string question(const Draft& draft, const Rejection& rejection, const std::vector<const Doubt*>& behind,
                     const Otherwise& otherwise) {
  return Asking(draft, rejection, behind, otherwise).run();
}

}  // namespace assay::draft
