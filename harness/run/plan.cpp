#include "harness/run/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "harness/run/exhaustive_run.hpp"
#include "harness/run/planned_cases.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/shown.hpp"
#include "properties/laws/law.hpp"

namespace assay::run {
namespace {

std::vector<Mode> modes_of(const std::string& mode, const std::string& numerics, bool flush = false) {
  std::vector<Mode> modes;
  const auto add = [&](Mode one, bool asked) {
    if (asked && (numerics == "all" || numerics == metal::name_of(numerics_of(one)))) modes.push_back(one);
  };
  add(Mode::fast, mode != "checked");
  add(Mode::checked, mode != "fast");
  add(Mode::contracted, mode != "checked");
  add(Mode::reassociated, mode != "checked");
  add(Mode::approximate, mode != "checked");
  add(Mode::relaxed, mode != "checked" && numerics == "relaxed");
  flush |= numerics == "flushed";
  if (flush && mode == "checked")
    throw std::invalid_argument("--flush-subnormals: runs in fast mode only; leave out --mode checked");
  if (flush) modes.push_back(Mode::flushed);
  if (modes.empty()) {
    throw std::invalid_argument(
        fmt::format("--numerics {}: runs in fast mode only; leave out --mode checked", numerics));
  }
  return modes;
}

void in_fast_mode_only(const Request& request, const char* option, Plan& plan) {
  if (request.mode == "checked") {
    throw std::invalid_argument(fmt::format("{}: runs in fast mode only; leave out --mode checked", option));
  }
  plan.options.modes = modes_of("fast", request.numerics);
}

// Where launches are large: cores that no other process takes work on threadgroups.
void give_each_its_cores(Plan& plan) {
  const auto runs = static_cast<unsigned>(plan.kernels.size() * plan.options.modes.size());
  plan.options.threads = std::max(1u, plan.options.jobs / runs);
}

void keep_exhaustive(const Request& request, Plan& plan) {
  in_fast_mode_only(request, "--exhaustive", plan);
  plan.options.exhaustive = request.words;
  std::erase_if(plan.kernels, [&](const auto* entry) {
    try {
      exhaustive_cases(*entry, request.words);
      return false;
    } catch (const std::invalid_argument& none) {
      if (request.named) throw std::invalid_argument("--exhaustive: " + entry->name + ": " + none.what());
      plan.left_out.push_back(fmt::format("{}: not run: {}", entry->name, none.what()));
      return true;
    }
  });
  if (plan.kernels.empty())
    throw std::invalid_argument("--exhaustive: no kernel of the manifest has 4-bit codes to try");
  give_each_its_cores(plan);
}

void keep_those_with_laws(const Request& request, Plan& plan) {
  in_fast_mode_only(request, "--laws", plan);
  std::erase_if(plan.kernels, [&](const auto* entry) {
    if (!properties::laws::laws_of(properties::operation_of(*entry)).empty()) return false;
    const std::string why =
        fmt::format("{}: no laws are known for operation {}", entry->name, entry->operation);
    if (request.named) throw std::invalid_argument("--laws: " + why);
    plan.left_out.push_back(why);
    return true;
  });
}

void keep_schedules(const Request& request, Plan& plan) {
  if (request.schedules.empty()) return;
  if (request.mode == "fast" || (request.numerics != "all" && request.numerics != "strict"))
    throw std::invalid_argument(
        "--schedules: schedules are explored in checked mode; leave out --mode and --numerics");
  if (request.exhaustive || plan.options.laws_alone || plan.options.shapes.asked() || !request.at.empty())
    throw std::invalid_argument(
        "--schedules: schedules replace drawn cases; leave out other options that do");
  const auto seconds = request.schedules == "all" ? std::optional(0.0) : duration_in(request.schedules);
  if (!seconds || (*seconds == 0 && request.schedules != "all")) {
    throw std::invalid_argument(
        fmt::format("--schedules: `{}` is not a time; write all, or a time such as 90, 30s or 10m",
                    shown(request.schedules)));
  }
  plan.options.modes = {Mode::checked};
  plan.options.schedules = {true, *seconds};
}

void keep_those_of_shapes(const Request& request, Plan& plan) {
  for (const std::string& text : request.at) {
    try {
      plan.options.shapes.at.push_back(parse_dims(text));
    } catch (const std::invalid_argument& bad) {
      throw std::invalid_argument(fmt::format("--at: {}", bad.what()));
    }
  }
  if (!plan.options.shapes.asked()) return;
  std::erase_if(plan.kernels, [&](const auto* entry) {
    try {
      std::size_t cases = 0;
      for (const Mode mode : plan.options.modes) {
        const auto shaped = shaped_cases(*entry, plan.options.shapes, plan.options.budget, mode);
        cases += shaped.cases.size();
        if (!shaped.left_out.empty()) {
          plan.left_out.push_back(
              fmt::format("{}: {} mode: {}", entry->name, name_of(mode), shaped.left_out));
        }
      }
      if (cases == 0) {
        throw std::invalid_argument(
            "one threadgroup of any of these layers would take minutes; raise --budget and --timeout");
      }
      return false;
    } catch (const std::invalid_argument& none) {
      if (request.named) {
        throw std::invalid_argument(
            fmt::format("{}: {}: {}", request.at.empty() ? "--shapes" : "--at", entry->name, none.what()));
      }
      plan.left_out.push_back(fmt::format("{}: not run: {}", entry->name, none.what()));
      return true;
    }
  });
  if (plan.kernels.empty())
    throw std::invalid_argument("--at, --shapes: no kernel of the manifest takes these shapes");
}

void keep_those_of_golden_files(const Request& request, Plan& plan) {
  if (request.golden.empty()) return;
  auto& options = plan.options;
  if (request.exhaustive || options.laws_alone || options.shapes.asked() || options.schedules.all)
    throw std::invalid_argument(
        "--golden: golden files replace drawn cases; leave out other options that do");
  const auto set = std::make_shared<const GoldenSet>(read_golden_set(request.golden));
  options.golden = set;
  std::erase_if(plan.kernels, [&](const auto* entry) {
    std::string why;
    std::vector<std::string> notes;
    bool runs = false;
    for (const Mode mode : options.modes) {
      try {
        for (auto& note : golden_cases(*entry, *set, options.budget, mode).notes) {
          if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
        }
        runs = true;
      } catch (const std::invalid_argument& none) {
        why = none.what();
      }
    }
    if (!runs && request.named)
      throw std::invalid_argument(fmt::format("--golden: {}: {}", entry->name, why));
    if (!runs) notes = {"not run: " + why};
    for (const auto& note : notes) plan.left_out.push_back(fmt::format("{}: {}", entry->name, note));
    return !runs;
  });
  if (plan.kernels.empty()) {
    throw std::invalid_argument(
        fmt::format("--golden: {} holds no file for any kernel of the manifest", request.golden));
  }
}

// Those that need subnormals are not run where these are flushed.
void excuse_from_flushing(const Request& request, Plan& plan) {
  if (!plan.options.covers(Mode::flushed)) return;
  if (request.exhaustive || plan.options.laws_alone)
    throw std::invalid_argument(
        "--flush-subnormals: --exhaustive and --laws ask for the bits of arithmetic that keeps them; leave "
        "it "
        "out");
  const bool alone = plan.options.modes.size() == 1;
  for (const auto* entry : plan.kernels) {
    if (is_excused(*entry, Mode::flushed))
      plan.left_out.push_back(fmt::format(
          "{}: not run with flushed subnormals, since its manifest says that it needs them", entry->name));
  }
  if (alone) std::erase_if(plan.kernels, [](const auto* entry) { return is_excused(*entry, Mode::flushed); });
  if (plan.kernels.empty())
    throw std::invalid_argument(
        "--numerics flushed: all of the kernels need subnormals, so none is left to run");
}

// A pass of theirs says less.
void tell_of_those_without_reference(Plan& plan) {
  for (const auto* entry : plan.kernels) {
    if (entry->stated && !entry->stated->has_answers())
      plan.left_out.push_back(fmt::format(
          "{}: has no reference, so its results are not judged; everything else is", entry->name));
  }
}

// Nor does a pass say much of indices that no case is long enough for.
void tell_of_unseen_widths(Plan& plan) {
  const auto& options = plan.options;
  const bool has_planned = !options.shapes.asked() && !options.exhaustive && !options.laws_alone &&
                           !options.schedules.all && options.planned && options.covers(Mode::fast);
  for (const auto* entry : plan.kernels) {
    if (!has_planned || !entry->stated) continue;
    if (const auto unseen = unseen_widths(*entry, options); !unseen.empty())
      plan.left_out.push_back(fmt::format("{}: {}", entry->name, unseen));
  }
}

void spend_budget(Plan& plan) {
  auto& options = plan.options;
  if (options.budget == 1) return;
  if (options.exhaustive || options.laws_alone)
    throw std::invalid_argument("--budget: --exhaustive and --laws have no large cases; leave it out");
  options.timeout_s *= static_cast<double>(options.budget);
  give_each_its_cores(plan);
}

}  // namespace

Plan plan(const Request& request, std::vector<const KernelEntry*> chosen) {
  Plan plan{std::move(chosen), request.options, {}};
  plan.options.modes = modes_of(request.mode, request.numerics, request.flush_subnormals);
  excuse_from_flushing(request, plan);
  if (request.exhaustive) keep_exhaustive(request, plan);
  if (plan.options.laws_alone) keep_those_with_laws(request, plan);
  keep_schedules(request, plan);
  keep_those_of_shapes(request, plan);
  keep_those_of_golden_files(request, plan);
  spend_budget(plan);
  tell_of_those_without_reference(plan);
  if (request.golden.empty()) tell_of_unseen_widths(plan);
  return plan;
}

}  // namespace assay::run
