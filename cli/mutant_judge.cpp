#include "cli/mutant_judge.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>

#include "harness/metal/errors.hpp"
#include "harness/metal/lower.hpp"
#include "harness/metal/variants.hpp"
#include "properties/search.hpp"
#include "properties/trial.hpp"

namespace assay::cli {
namespace {

using verify::Verdict;
using Module = std::shared_ptr<const metal::KernelModule>;

/// Cases of each mode before a survivor is looked at more closely: most faults show in the first few.
constexpr std::size_t kQuickCases = 40;
/// Cases of random inputs that the other criteria judge, and the most multiply-adds of one.
constexpr std::size_t kRandomCases = 6;
constexpr std::int64_t kRandomWork = std::int64_t{1} << 18;
/// A case of a mutant may take this long: a multiple of the kernel's own time, and some.
constexpr double kSlower = 20, kGrace_s = 0.5;
/// By the clock, should a process sleep.
constexpr double kWall_s = 120;

constexpr std::array<std::string_view, 4> kStatusNames = {"killed", "survived", "equivalent", "not compiled"};

double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The process ends by SIGPROF when it has used that much processor time from now; 0: no limit.
void limit_time(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(std::fmod(seconds, 1.0) * 1e6);
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// While in scope, programs that are started may use that much processor time.
class CompilerLimit {
 public:
  explicit CompilerLimit(rlim_t seconds) {
    getrlimit(RLIMIT_CPU, &before_);
    rlimit limited = before_;
    limited.rlim_cur = std::min(before_.rlim_max, seconds);
    setrlimit(RLIMIT_CPU, &limited);
  }
  ~CompilerLimit() { setrlimit(RLIMIT_CPU, &before_); }
  CompilerLimit(const CompilerLimit&) = delete;
  CompilerLimit& operator=(const CompilerLimit&) = delete;

 private:
  rlimit before_{};
};

std::size_t index_of(Mode mode) { return mode == Mode::fast ? 0 : 1; }

// A kernel under test in one mode, with its prepared cases.
class Runner {
 public:
  Runner(const MutatedKernel& kernel, Mode mode, Module module)
      : kernel_(kernel),
        mode_(mode),
        benches_(mode, std::move(module)),
        trial_(*kernel.entry, benches_.benches()) {}

  properties::TrialResult run(std::size_t index) {
    const PreparedCase& one = kernel_.cases[index];
    benches_.set_schedule(one.problem);
    limit_time(one.limit_s[index_of(mode_)]);
    auto result = trial_.run(one.made, one.expected);
    limit_time(0);
    return result;
  }

 private:
  const MutatedKernel& kernel_;
  Mode mode_;
  Benches benches_;
  properties::Trial trial_;
};

// Rejected by any output of a case.
Rejected criteria_of(const properties::TrialResult& result, const PreparedCase& one) {
  Rejected all{};
  for (const auto& expectation : one.expected) {
    for (const auto& output : result.outputs) {
      if (output.name != expectation.tensor) continue;
      const auto rejected = rejected_by(output, expectation);
      for (std::size_t c = 0; c < all.size(); ++c) all[c] |= rejected[c];
    }
  }
  return all;
}

// What a child said of one module in one mode.
struct Judgement {
  Verdict verdict = Verdict::pass;
  std::int64_t case_ = 0;
  std::string summary;
  Rejected criteria{};
};

// Cases [begin, end) of a kernel, the random ones before them where criteria are asked for.
struct Span {
  std::size_t begin = 0, end = 0;
  bool criteria = false;
};

// In the child. Every random case is run, for the criteria's sake; the others until one is rejected.
void run_cases(const MutatedKernel& kernel, Mode mode, const Module& module, Span span,
               const Reporter& reporter) {
  Runner runner(kernel, mode, module);
  nlohmann::json rejection;
  Rejected criteria{};
  const auto run = [&](std::size_t index, bool random) {
    reporter.send({{"at", index}, {"criteria", criteria}, {"random", random}});
    const auto result = runner.run(index);
    if (random) {
      const auto rejected = criteria_of(result, kernel.cases[index]);
      for (std::size_t c = 0; c < criteria.size(); ++c) {
        criteria[c] |= rejected[c] && !kernel.cases[index].spared[c];
      }
    }
    const auto& outcome = result.outcome;
    if (!rejection.is_null() || verify::exit_status(outcome.verdict) != 1) return;
    rejection = {
        {"verdict", verify::name_of(outcome.verdict)}, {"case", index}, {"summary", outcome.summary}};
  };
  if (span.criteria) {
    for (const auto index : kernel.random) run(index, true);
  }
  for (auto index = span.begin; index < span.end && rejection.is_null(); ++index) run(index, false);
  nlohmann::json done = {{"done", true}, {"criteria", criteria}};
  if (!rejection.is_null()) done.update(rejection);
  reporter.send(done);
}

Judgement judge(const MutatedKernel& kernel, Mode mode, const Module& module, Span span) {
  Child child([&](const Reporter& reporter) { run_cases(kernel, mode, module, span, reporter); });
  Judgement judgement;
  bool open = true, done = false, random = span.criteria;
  auto heard = std::chrono::steady_clock::now();
  const auto silent = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - heard).count() > kWall_s;
  };
  while (open && !done && !silent()) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, 1000);
    open = child.receive();
    while (const auto message = child.next()) {
      heard = std::chrono::steady_clock::now();
      if (message->contains("criteria")) judgement.criteria = (*message)["criteria"].get<Rejected>();
      if (message->contains("at")) judgement.case_ = (*message)["at"].get<std::int64_t>();
      if (message->contains("random")) random = (*message)["random"].get<bool>();
      if (message->contains("what")) {  // the device refused
        done = true;
        judgement.verdict = Verdict::error;
        judgement.summary = (*message)["what"].get<std::string>();
      }
      if (!message->contains("done")) continue;
      done = true;
      random = false;
      if (!message->contains("verdict")) continue;
      judgement.verdict = verify::verdict_from_name((*message)["verdict"].get<std::string>());
      judgement.case_ = (*message)["case"].get<std::int64_t>();
      judgement.summary = (*message)["summary"].get<std::string>();
    }
  }
  if (!done && open) child.kill();
  const auto death = child.join();
  if (!done) {
    const bool late = open || (death && death->signal == SIGPROF);
    judgement.verdict = late ? Verdict::timeout : Verdict::crash;
    judgement.summary = late    ? "the case did not end in time"
                        : death ? death->describe()
                                : "the process ended";
  }
  // Anybody notices a program that stops or does not end.
  if (random) judgement.criteria.fill(true);
  return judgement;
}

std::int64_t work_of(const properties::Case& problem) {
  std::int64_t work = 1;
  for (const char* name : {"M", "N", "K"}) {
    const auto found = problem.dims.find(name);
    if (found != problem.dims.end()) work *= found->second;
  }
  return work;
}

// Of the cases with ordinary values (regime "random", or an operation's first where it has none of that
// name), the last few that are not too large: those have grown out of the edges.
std::vector<std::size_t> random_cases(const MutatedKernel& kernel) {
  const auto& operation = properties::find_operation(kernel.entry->operation);
  const auto& regimes = operation.declaration().regimes;
  const auto* ordinary = properties::find_named(regimes, "random");
  const std::string name = ordinary != nullptr ? ordinary->name : regimes.front().name;
  std::vector<std::size_t> found;
  for (std::size_t i = kernel.cases.size(); i-- > 0 && found.size() < kRandomCases;) {
    const auto& problem = kernel.cases[i].problem;
    if (problem.regime == name && work_of(problem) <= kRandomWork) found.push_back(i);
  }
  return found;
}

// The kernel itself on all cases: sets limits and spares criteria that reject what is right.
void run_baseline(MutatedKernel& kernel, Mode mode, const Module& module) {
  Child child([&](const Reporter& reporter) {
    Runner runner(kernel, mode, module);
    for (std::size_t i = 0; i < kernel.cases.size(); ++i) {
      const double before = processor_time();
      const auto result = runner.run(i);
      reporter.send({{"at", i},
                     {"seconds", processor_time() - before},
                     {"criteria", criteria_of(result, kernel.cases[i])},
                     {"verdict", verify::name_of(result.outcome.verdict)},
                     {"summary", result.outcome.summary}});
    }
  });
  std::size_t heard = 0;
  for (bool open = true; open;) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, 1000);
    open = child.receive();
    while (const auto message = child.next()) {
      if (message->contains("what")) throw std::runtime_error((*message)["what"].get<std::string>());
      auto& one = kernel.cases.at((*message)["at"].get<std::size_t>());
      const auto verdict = (*message)["verdict"].get<std::string>();
      if (verdict != "pass") {
        throw std::runtime_error(fmt::format("the kernel itself does not pass ({}: {}); make it right first",
                                             verdict, (*message)["summary"].get<std::string>()));
      }
      one.limit_s[index_of(mode)] = kGrace_s + kSlower * (*message)["seconds"].get<double>();
      if (mode == Mode::fast) one.spared = (*message)["criteria"].get<Rejected>();
      ++heard;
    }
  }
  const auto death = child.join();
  if (heard != kernel.cases.size()) {
    throw std::runtime_error(fmt::format("the kernel itself does not pass: its process ended ({})",
                                         death ? death->describe() : "early"));
  }
}

}  // namespace

std::string_view name_of(MutantStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

nlohmann::json to_json(const MutantResult& result) {
  return {{"type", "mutant"},          {"index", result.index},      {"status", name_of(result.status)},
          {"verdict", result.verdict}, {"mode", result.mode},        {"case", result.case_},
          {"summary", result.summary}, {"criteria", result.criteria}};
}

MutantResult mutant_result_from_json(const nlohmann::json& json) {
  MutantResult result;
  result.index = json.at("index").get<std::size_t>();
  const auto status = json.at("status").get<std::string>();
  const auto found = std::find(kStatusNames.begin(), kStatusNames.end(), status);
  if (found == kStatusNames.end()) throw std::invalid_argument("status: no such one: " + status);
  result.status = static_cast<MutantStatus>(found - kStatusNames.begin());
  result.verdict = json.at("verdict").get<std::string>();
  result.mode = json.at("mode").get<std::string>();
  result.case_ = json.at("case").get<std::int64_t>();
  result.summary = json.at("summary").get<std::string>();
  result.criteria = json.at("criteria").get<Rejected>();
  return result;
}

MutatedKernel read_kernel(const verify::KernelEntry& entry) {
  MutatedKernel kernel;
  kernel.entry = &entry;
  const auto source = entry.kernel_source();
  kernel.text = metal::preprocess(source);
  kernel.tokens = metal::tokenize(kernel.text, source.path.string());
  const auto live = metal::live_tokens(kernel.tokens, {source.function, source.function_constants});
  kernel.mutations = mutate::mutations_of(kernel.tokens, live);
  return kernel;
}

void prepare_cases(MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed) {
  const auto& entry = *kernel.entry;
  const auto& operation = properties::find_operation(entry.operation);
  const auto generator = operation.cases(properties::traits_of(entry));
  for (std::uint64_t i = 0; i < cases; ++i) {
    PreparedCase one;
    one.problem = properties::case_at(generator, seed, i);
    one.made = operation.make_problem(one.problem);
    try {
      one.expected = operation.expect(one.made, entry.arithmetic);
    } catch (const properties::Unjudgeable&) {
      continue;
    }
    kernel.cases.push_back(std::move(one));
  }
  if (kernel.cases.empty()) throw std::runtime_error("nothing can be said about any case");
  kernel.random = random_cases(kernel);
  const auto source = entry.kernel_source();
  kernel.object_code = metal::object_code(source, kernel.text);
  for (const Mode mode : {Mode::fast, Mode::checked}) {
    const auto flavour = mode == Mode::fast ? metal::Flavour::fast : metal::Flavour::checked;
    const auto compiled = metal::compile_variants(source, {kernel.text}, flavour);
    if (!compiled[0].module) throw std::runtime_error(compiled[0].error);
    run_baseline(kernel, mode, compiled[0].module);
  }
}

void judge_batch(const MutatedKernel& kernel, const std::vector<std::size_t>& batch,
                 const Reporter& reporter) {
  const auto source = kernel.entry->kernel_source();
  std::vector<MutantResult> results(batch.size());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    results[i].index = batch[i];
    texts.push_back(mutate::apply(kernel.tokens, kernel.mutations[batch[i]]));
  }
  const auto compile = [&](const std::vector<std::string>& some, metal::Flavour flavour) {
    const CompilerLimit limit(10 + 2 * static_cast<rlim_t>(some.size()));
    return metal::compile_variants(source, some, flavour);
  };
  const auto finish = [&](std::size_t i, MutantStatus status) {
    results[i].status = status;
    reporter.send(to_json(results[i]));
  };
  // True if the mutant is done with.
  const auto killed = [&](std::size_t i, Mode mode, const Module& module, Span span) {
    const auto judgement = judge(kernel, mode, module, span);
    auto& result = results[i];
    if (span.criteria) result.criteria = judgement.criteria;
    if (judgement.verdict == Verdict::pass) return false;
    result.verdict = verify::name_of(judgement.verdict);
    result.mode = name_of(mode);
    result.case_ = judgement.case_;
    result.summary = judgement.summary;
    // What the device refuses to load is no kernel.
    finish(i, judgement.verdict == Verdict::error ? MutantStatus::not_compiled : MutantStatus::killed);
    return true;
  };
  const std::size_t quick = std::min(kQuickCases, kernel.cases.size());

  const auto fast = compile(texts, metal::Flavour::fast);
  std::vector<std::size_t> alive;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!fast[i].module) {
      results[i].summary = fast[i].error;
      finish(i, MutantStatus::not_compiled);
    } else if (!killed(i, Mode::fast, fast[i].module, {0, quick, true})) {
      alive.push_back(i);
    }
  }
  if (alive.empty()) return;

  std::vector<std::string> alive_texts;
  for (const auto i : alive) alive_texts.push_back(texts[i]);
  const auto checked = compile(alive_texts, metal::Flavour::checked);
  for (std::size_t a = 0; a < alive.size(); ++a) {
    const auto i = alive[a];
    if (!checked[a].module) {
      results[i].summary = checked[a].error;
      finish(i, MutantStatus::not_compiled);
      continue;
    }
    if (killed(i, Mode::checked, checked[a].module, {0, quick, false})) continue;
    std::string object;
    {
      const CompilerLimit limit(20);
      object = metal::object_code(source, texts[i]);
    }
    if (object == kernel.object_code) {
      finish(i, MutantStatus::equivalent);
      continue;
    }
    if (killed(i, Mode::fast, fast[i].module, {quick, kernel.cases.size(), false})) continue;
    if (killed(i, Mode::checked, checked[a].module, {quick, kernel.cases.size(), false})) continue;
    finish(i, MutantStatus::survived);
  }
}

}  // namespace assay::cli
