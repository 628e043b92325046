#include "cli/mutant_judge.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <stdexcept>

#include "cli/profiler.hpp"
#include "harness/metal/cache.hpp"
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
/// Should a process sleep: so many polls of a second without a word. Seconds by the clock would blame it for
/// a machine that was suspended.
constexpr int kSilentPolls = 300, kPoll_ms = 1000;

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

// What `compile` gives; the programs that it starts may use that much processor time.
template <class Compile>
auto limited(rlim_t seconds, const Compile& compile) {
  struct Limit {
    explicit Limit(rlim_t most) {
      getrlimit(RLIMIT_CPU, &before);
      rlimit now = before;
      now.rlim_cur = std::min(before.rlim_max, most);
      setrlimit(RLIMIT_CPU, &now);
    }
    ~Limit() { setrlimit(RLIMIT_CPU, &before); }
    rlimit before{};
  };
  const Limit limit(seconds);
  return compile();
}

std::size_t index_of(Way way) { return way.mode == Mode::fast ? 0 : 1; }

constexpr Way kFast{Mode::fast}, kChecked{Mode::checked};
constexpr std::array<metal::Numerics, 2> kLoose = {metal::Numerics::contracted,
                                                   metal::Numerics::reassociated};

// A kernel under test in one mode, with its prepared cases.
class Runner {
 public:
  Runner(const MutatedKernel& kernel, Way way, Module module)
      : kernel_(kernel),
        way_(way),
        benches_(way, {}, std::move(module)),
        trial_(*kernel.entry, benches_.benches()) {}

  properties::TrialResult run(std::size_t index) {
    const PreparedCase& one = kernel_.cases[index];
    benches_.set_schedule(one.problem);
    limit_time(one.limit_s[index_of(way_)]);
    auto result = trial_.run(one.made, one.expected);
    limit_time(0);
    return result;
  }

 private:
  const MutatedKernel& kernel_;
  Way way_;
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
void run_cases(const MutatedKernel& kernel, Way way, const Module& module, Span span,
               const Reporter& reporter) {
  Runner runner(kernel, way, module);
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

// What a child that runs cases, or claims, comes to.
Judgement listen(Child child, bool criteria) {
  Judgement judgement;
  bool open = true, done = false, random = criteria;
  int silent = 0;
  while (open && !done && silent < kSilentPolls) {
    pollfd polled{child.fd(), POLLIN, 0};
    if (poll(&polled, 1, kPoll_ms) == 0) ++silent;
    open = child.receive();
    while (const auto message = child.next()) {
      silent = 0;
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

Judgement judge(const MutatedKernel& kernel, Way way, const Module& module, Span span) {
  return listen(Child([&](const Reporter& reporter) { run_cases(kernel, way, module, span, reporter); }),
                span.criteria);
}

std::int64_t work_of(const properties::Case& problem) {
  std::int64_t work = 1;
  for (const char* name : {"M", "N", "K"}) {
    const auto found = problem.dims.find(name);
    if (found != problem.dims.end()) work *= found->second;
  }
  return work;
}

// Holds a mutant against what the manifest claims of its kernel.
Judgement judge_claims(const MutatedKernel& kernel, const std::string& text) {
  const metal::ScratchDirectory scratch(metal::toolchain().cache);
  verify::KernelEntry changed = *kernel.entry;
  changed.source = scratch / "mutant.metal";
  changed.defines.clear();  // the preprocessor has been here
  metal::write_atomically(changed.source, text);
  return listen(Child([&](const Reporter& reporter) {
                  nlohmann::json done = {{"done", true}};
                  try {
                    const auto differs = claims_text(changed, profile(changed));
                    if (!differs.empty()) {
                      done.update({{"verdict", verify::name_of(Verdict::claim_differs)},
                                   {"case", 0},
                                   {"summary", "the manifest claims what is not so"}});
                    }
                  } catch (const std::exception&) {
                    // What cannot be counted has no claims to break; its faults are for the cases to show.
                  }
                  reporter.send(done);
                }),
                false);
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

// What a mutant compiles to; nothing where that takes the compiler too long.
std::string code_of(const device::KernelSource& source, const std::string& text, metal::Numerics numerics) {
  try {
    return metal::object_code(source, text, numerics);
  } catch (const metal::SourceError&) {
    return {};
  }
}

// The module of a text in other numerics; nothing where that makes the code that strict arithmetic does.
Module loosely_compiled(const device::KernelSource& source, const std::string& text,
                        const std::string& strict, metal::Numerics numerics) {
  if (code_of(source, text, numerics) == strict) return nullptr;
  return metal::compile_variants(source, {text}, metal::Flavour::fast, numerics)[0].module;
}

[[noreturn]] void refuse_kernel(const Judgement& judgement) {
  throw std::runtime_error(fmt::format("the kernel itself does not pass ({}: {}); make it right first",
                                       verify::name_of(judgement.verdict), judgement.summary));
}

// A process that runs the kernel itself on all cases.
Child baseline(const MutatedKernel& kernel, const device::KernelSource& source, Way way) {
  return Child([&, way](const Reporter& reporter) {
    const auto flavour = way.mode == Mode::fast ? metal::Flavour::fast : metal::Flavour::checked;
    const auto compiled = metal::compile_variants(source, {kernel.text}, flavour);
    if (!compiled[0].module) throw std::runtime_error(compiled[0].error);
    Runner runner(kernel, way, compiled[0].module);
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
}

// What it says sets limits, and spares criteria that reject what is right.
void take_baseline(MutatedKernel& kernel, Way way, Child child) {
  std::size_t heard = 0;
  for (bool open = true; open;) {
    pollfd polled{child.fd(), POLLIN, 0};
    poll(&polled, 1, kPoll_ms);
    open = child.receive();
    while (const auto message = child.next()) {
      if (message->contains("what")) throw std::runtime_error((*message)["what"].get<std::string>());
      auto& one = kernel.cases.at((*message)["at"].get<std::size_t>());
      const auto verdict = (*message)["verdict"].get<std::string>();
      if (verdict != "pass") {
        throw std::runtime_error(fmt::format("the kernel itself does not pass ({}: {}); make it right first",
                                             verdict, (*message)["summary"].get<std::string>()));
      }
      one.limit_s[index_of(way)] = kGrace_s + kSlower * (*message)["seconds"].get<double>();
      if (way == kFast) one.spared = (*message)["criteria"].get<Rejected>();
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
  return {{"type", "mutant"},          {"index", result.index},       {"status", name_of(result.status)},
          {"verdict", result.verdict}, {"mode", result.mode},         {"case", result.case_},
          {"summary", result.summary}, {"criteria", result.criteria}, {"whole", result.whole}};
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
  result.whole = json.at("whole").get<bool>();
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
    one.number = static_cast<std::int64_t>(i);
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
  auto fast = baseline(kernel, source, kFast), checked = baseline(kernel, source, kChecked);
  kernel.object_code = metal::object_code(source, kernel.text);
  take_baseline(kernel, kFast, std::move(fast));
  take_baseline(kernel, kChecked, std::move(checked));
  for (const auto numerics : kLoose) {
    const auto other = loosely_compiled(source, kernel.text, kernel.object_code, numerics);
    if (!other) continue;
    const auto loose =
        judge(kernel, {Mode::fast, numerics}, other, {0, (kernel.cases.size() + 1) / 2, false});
    if (loose.verdict != Verdict::pass) refuse_kernel(loose);
  }
  if (!entry.claims.empty()) {
    const auto claims = judge_claims(kernel, kernel.text);
    if (claims.verdict != Verdict::pass) refuse_kernel(claims);
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
    return limited(10 + 2 * static_cast<rlim_t>(some.size()),
                   [&] { return metal::compile_variants(source, some, flavour); });
  };
  const auto finish = [&](std::size_t i, MutantStatus status) {
    results[i].status = status;
    reporter.send(to_json(results[i]));
  };
  // True if the mutant is done with.
  const auto killed_by = [&](std::size_t i, Way way, const Judgement& judgement) {
    auto& result = results[i];
    if (judgement.verdict == Verdict::pass) return false;
    result.verdict = verify::name_of(judgement.verdict);
    result.mode = name_of(way);
    result.case_ =
        judgement.case_ < 0 ? -1 : kernel.cases.at(static_cast<std::size_t>(judgement.case_)).number;
    result.summary = judgement.summary;
    // What the device refuses to load is no kernel.
    finish(i, judgement.verdict == Verdict::error ? MutantStatus::not_compiled : MutantStatus::killed);
    return true;
  };
  const auto killed = [&](std::size_t i, Way way, const Module& module, Span span) {
    const auto judgement = judge(kernel, way, module, span);
    if (span.criteria) results[i].criteria = judgement.criteria;
    return killed_by(i, way, judgement);
  };
  const std::size_t quick = std::min(kQuickCases, kernel.cases.size());

  const auto fast = compile(texts, metal::Flavour::fast);
  std::vector<std::size_t> alive;
  std::vector<std::string> objects(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!fast[i].module) {
      results[i].summary = fast[i].error;
      finish(i, MutantStatus::not_compiled);
      continue;
    }
    if (killed(i, kFast, fast[i].module, {0, quick, true})) continue;
    objects[i] = limited(20, [&] { return code_of(source, texts[i], metal::Numerics::strict); });
    if (objects[i] == kernel.object_code) {
      finish(i, MutantStatus::equivalent);
    } else {
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
    if (killed(i, kChecked, checked[a].module, {0, quick, false})) continue;
    if (kernel.explained[batch[i]]) {
      results[i].whole = false;
      finish(i, MutantStatus::survived);
      continue;
    }
    const auto all = kernel.cases.size();
    if (!kernel.entry->claims.empty() && killed_by(i, kChecked, judge_claims(kernel, texts[i]))) continue;
    if (killed(i, kFast, fast[i].module, {quick, all, false})) continue;
    if (killed(i, kChecked, checked[a].module, {quick, all, false})) continue;
    bool dead = false;
    for (const auto numerics : kLoose) {
      if (dead) break;
      const auto other =
          limited(40, [&] { return loosely_compiled(source, texts[i], objects[i], numerics); });
      dead |= other && killed(i, {Mode::fast, numerics}, other, {0, (all + 1) / 2, false});
    }
    if (dead) continue;
    finish(i, MutantStatus::survived);
  }
}

}  // namespace assay::cli
