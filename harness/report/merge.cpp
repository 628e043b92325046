#include "harness/report/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "harness/verify/shown.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw ReportError(fmt::format("{}: {}", shown(file, 4000), why));
}

std::string value_text(const json& value) {
  return shown(value.dump(-1, ' ', true, json::error_handler_t::replace), 60);
}

// The same but for the machine's paths.
void check_same_run(const Part& one, const Part& other) {
  const auto same = [&](const std::string& field, const json& here, const json& there) {
    if (here == there) return;
    refuse(other.file, fmt::format("{}: is {}, in {} {}: they are no shards of one run", shown(field),
                                   value_text(there), shown(one.file), value_text(here)));
  };
  const auto &a = one.results.run, &b = other.results.run;
  same("command", a.command, b.command);
  same("assay", a.assay, b.assay);
  same("shard.of", one.results.shard.of, other.results.shard.of);
  for (const auto* settings : {&a.settings, &b.settings}) {
    for (const auto& [name, value] : settings->items()) {
      same("settings." + name, a.settings.value(name, json()), b.settings.value(name, json()));
    }
  }
  same("chosen", a.chosen, b.chosen);
  same("manifest.content", a.content, b.content);
}

void check_shards(const std::vector<Part>& parts) {
  const auto of = parts.front().results.shard.of;
  std::map<std::uint64_t, std::string> files;
  for (const auto& part : parts) {
    check_same_run(parts.front(), part);
    const auto [known, fresh] = files.try_emplace(part.results.shard.index, part.file);
    if (!fresh)
      refuse(part.file, fmt::format("shard {} is there twice, in {} too; give it once",
                                    to_text(part.results.shard), shown(known->second)));
  }
  std::uint64_t index = 1;
  while (files.contains(index)) ++index;
  if (index <= of)
    refuse(parts.front().file,
           fmt::format("shard {} of the same run is missing; give all {}", to_text(Shard{index, of}), of));
}

const std::string& name_of(const KernelResult& kernel) { return kernel.name; }
const std::string& name_of(const MutantsResult& kernel) { return kernel.name; }

// The kernels of all parts by their names; `join(whole, more)` adds what another shard has.
template <class Body, class Kernel, class Join>
std::vector<Kernel> join_kernels(const std::vector<Part>& parts, std::vector<Kernel> Body::*kernels,
                                 const Join& join) {
  std::map<std::string, Kernel> by_name;
  const auto& chosen = parts.front().results.run.chosen;
  const std::set<std::string_view> known_names(chosen.begin(), chosen.end());
  for (const auto& part : parts) {
    for (const auto& kernel : std::get<Body>(part.results.found).*kernels) {
      const auto& name = name_of(kernel);
      if (!known_names.contains(name))
        refuse(part.file, fmt::format("kernels: {} is not one of those chosen", shown(name)));
      const auto [known, fresh] = by_name.try_emplace(name, kernel);
      if (!fresh) join(part, known->second, kernel);
    }
  }
  std::vector<Kernel> all;
  for (const auto& name : chosen) {
    const auto found = by_name.find(name);
    if (found == by_name.end())
      refuse(parts.front().file,
             fmt::format("kernel {}: no shard has it, though it was chosen", shown(name)));
    all.push_back(std::move(found->second));
  }
  return all;
}

Verified join(const std::vector<Part>& parts, const Verified&) {
  Verified all{
      join_kernels(parts, &Verified::kernels, [](const Part&, KernelResult& whole, const auto& more) {
        auto& modes = whole.report.modes;
        modes.insert(modes.end(), more.report.modes.begin(), more.report.modes.end());
      })};
  const auto wanted = parts.front().results.run.settings.at("modes").get<std::vector<std::string>>();
  for (auto& kernel : all.kernels) {
    auto& modes = kernel.report.modes;
    std::size_t excused = 0;
    std::sort(modes.begin(), modes.end(), [](const auto& a, const auto& b) { return a.mode < b.mode; });
    for (const auto& name : wanted) {
      const auto times = std::count_if(modes.begin(), modes.end(),
                                       [&](const auto& mode) { return run::name_of(mode.mode) == name; });
      if (times == 1) continue;
      if (times == 0 && name == run::name_of(run::Mode::flushed)) {  // of a kernel that needs subnormals
        ++excused;
        continue;
      }
      refuse(parts.front().file, fmt::format("kernel {}: mode {} is {} these shards", shown(kernel.name),
                                             name, times == 0 ? "in none of" : "more than once in"));
    }
    if (modes.size() + excused != wanted.size())
      refuse(parts.front().file,
             fmt::format("kernel {}: has a mode that the run was not to run in", shown(kernel.name)));
  }
  return all;
}

Mutated join(const std::vector<Part>& parts, const Mutated& first) {
  Mutated all;
  all.kernels =
      join_kernels(parts, &Mutated::kernels, [](const Part&, MutantsResult& whole, const auto& more) {
        whole.of = std::max(whole.of, more.of);
        if (whole.error.empty()) whole.error = more.error;
        whole.seconds += more.seconds;
        whole.core_seconds += more.core_seconds;
        for (const auto& mutant : more.mutants) whole.mutants.push_back(mutant);
      });
  for (auto& kernel : all.kernels) {
    const auto index = [](const json& mutant) { return mutant.at("index").get<std::uint64_t>(); };
    auto& mutants = kernel.mutants;
    std::sort(mutants.begin(), mutants.end(),
              [&](const json& a, const json& b) { return index(a) < index(b); });
    const auto twice = std::adjacent_find(mutants.begin(), mutants.end(),
                                          [&](const json& a, const json& b) { return index(a) == index(b); });
    if (twice != mutants.end())
      refuse(parts.front().file, fmt::format("kernel {}: mutant {} is in more than one shard",
                                             shown(kernel.name), index(*twice)));
    if (kernel.error.empty() && mutants.size() != kernel.of)
      refuse(parts.front().file, fmt::format("kernel {}: the shards have {} of {} mutants",
                                             shown(kernel.name), mutants.size(), kernel.of));
  }
  // An entry that one shard has used is not stale.
  all.stale = first.stale;
  for (const auto& part : parts) {
    const auto& stale = std::get<Mutated>(part.results.found).stale;
    std::erase_if(all.stale, [&](const std::string& line) {
      return std::find(stale.begin(), stale.end(), line) == stale.end();
    });
  }
  return all;
}

Golden join(const std::vector<Part>& parts, const Golden& first) {
  Golden all;
  all.of = first.of;
  for (const auto& part : parts) {
    const auto& one = std::get<Golden>(part.results.found);
    for (const auto list : {&Golden::files, &Golden::removed, &Golden::differing, &Golden::unreadable}) {
      (all.*list).insert((all.*list).end(), (one.*list).begin(), (one.*list).end());
    }
  }
  for (const auto list : {&Golden::files, &Golden::removed, &Golden::differing, &Golden::unreadable}) {
    std::sort((all.*list).begin(), (all.*list).end());
  }
  // An empty directory is what every shard says.
  for (const auto list : {&Golden::differing, &Golden::unreadable}) {
    (all.*list).erase(std::unique((all.*list).begin(), (all.*list).end()), (all.*list).end());
  }
  const auto twice = std::adjacent_find(all.files.begin(), all.files.end());
  if (twice != all.files.end())
    refuse(parts.front().file, fmt::format("files: {} is in more than one shard", shown(*twice)));
  if (all.files.size() != all.of)
    refuse(parts.front().file, fmt::format("files: the shards have {} of {}", all.files.size(), all.of));
  return all;
}

}  // namespace

Results merge(std::vector<Part> parts) {
  if (parts.empty()) throw ReportError("no report is given; name the shards of a run");
  check_shards(parts);
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.results.shard.index < b.results.shard.index; });
  Results all;
  all.run = parts.front().results.run;
  for (const auto& part : parts) all.seconds += part.results.seconds;
  std::visit([&](const auto& first) { all.found = join(parts, first); }, parts.front().results.found);
  return all;
}

}  // namespace assay::report
