#include "cli/commands.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/mutate/repair_text.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/pace.hpp"
#include "harness/verify/printable.hpp"

namespace assay::cli {
namespace {

// The changes of one kernel.
struct Tried {
  std::string kernel;
  std::size_t done = 0, of = 0;
  Stopwatch clock = {};  // since the first of them

  std::string rate() const { return rate_text(static_cast<double>(done), clock.seconds()); }
  // "k: 40 of 96 changes tried, 12 a second, about 5 s left".
  std::string progress() const {
    if (of == 0) return kernel + ": looking for the first case that fails";
    if (done == of)
      return fmt::format("{}: {} tried, those that help now run all cases", kernel, counted(of, "change"));
    return fmt::format("{}: {} of {} changes tried, {}{}", kernel, grouped(done), grouped(of), rate(),
                       left_text(static_cast<double>(done) / static_cast<double>(of), clock.seconds()));
  }
};

}  // namespace

int run_command(const RepairArguments& arguments) {
  const auto entries = run::load_manifest(arguments.kernels.manifest, arguments.kernels.names);
  const auto chosen = run::choose(entries, arguments.kernels.names);
  bool wrong = false, broken = false;
  std::size_t finished = 0;
  ProgressLine line(arguments.talk);
  Tried tried;
  const auto step = [&](std::size_t done, std::size_t all) {
    if (tried.of == 0) tried.clock = {};
    tried.done = done;
    tried.of = all;
    if (line.due()) line.show(tried.progress());
  };
  const auto repair = [&](const KernelEntry& entry) {
    tried = {.kernel = entry.name};
    line.show(tried.progress());
    const Stopwatch clock;
    try {
      const auto repairs = mutate::find_repairs(entry, arguments.options, step);
      const auto text = mutate::repair_text(entry.name, repairs, arguments.options.cases);
      repairs.verdict.empty() ? line.note(text) : line.print(text);
      wrong |= !repairs.verdict.empty();
    } catch (const std::exception& error) {
      line.print(fmt::format("{}: {}\n", entry.name, words_of(error)));
      broken = true;
    }
    line.detail(fmt::format("{}: {:.1f} s, {} tried, {}\n", entry.name, clock.seconds(),
                            counted(tried.done, "change"), tried.rate()));
    ++finished;
  };
  return tell_if_interrupted(
      line,
      [&] {
        for (const auto* entry : chosen) repair(*entry);
        return wrong ? 1 : broken ? 2 : 0;
      },
      [&] {
        return fmt::format("{} of {} kernels are done; {}", grouped(finished), grouped(chosen.size()),
                           tried.progress());
      });
}

}  // namespace assay::cli
