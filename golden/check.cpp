#include "golden/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>

#include "golden/check_file.hpp"
#include "golden/kept_memory.hpp"
#include "golden/safetensors.hpp"
#include "golden/safetensors_format.hpp"
#include "golden/set_index.hpp"
#include "golden/set_request.hpp"
#include "harness/process/pool.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

/// Of a set that is looked at by sample.
constexpr std::uint64_t kSampledFiles = 8;

/// Whether file `index` of `cases` is among those that lie evenly in the set.
bool is_sampled(std::uint64_t index, std::uint64_t cases) {
  if (cases <= kSampledFiles) return true;
  for (std::uint64_t i = 0; i < kSampledFiles; ++i) {
    if (index == i * (cases - 1) / (kSampledFiles - 1)) return true;
  }
  return false;
}

/// The files of one set that are there.
struct Set {
  std::map<std::uint64_t, std::uint64_t> cases;  ///< how many each says that the set has, by index
  std::map<std::uint64_t, fs::path> paths;
  std::set<std::uint64_t> unreadable;

  /// What is wrong with it as a set: files that speak of sets of different sizes, a file that is missing.
  std::vector<std::string> problems(const std::string& name) const {
    if (cases.empty()) return {};
    const auto [first, all] = *cases.begin();
    for (const auto& [index, other] : cases) {
      if (other == all) continue;
      return {fmt::format(
          "metadata cases: {} says {}, {} says {}: they belong to two sets; make one of them again",
          file_name(name, first), all, file_name(name, index), other)};
    }
    std::uint64_t missing = 0;
    while (missing < all && (cases.contains(missing) || unreadable.contains(missing))) ++missing;
    if (missing == all) return {};
    return {
        fmt::format("{}: missing; the set has {} of {} cases", file_name(name, missing), cases.size(), all)};
  }
};

/// An index against its set; nothing where it is right.
std::optional<std::string> problem_of_index(const fs::path& directory, const std::string& name,
                                            const Set& set) {
  const fs::path path = directory / index_name(name);
  std::vector<fs::path> files;
  for (const auto& [index, file] : set.paths) files.push_back(file);
  std::error_code absent;
  std::ifstream stream;
  if (fs::is_regular_file(path, absent)) stream.open(path, std::ios::binary);
  if (!stream.is_open()) return fmt::format("{}: missing; `assay golden make` writes it", index_name(name));
  const std::string found(std::istreambuf_iterator<char>(stream), {});
  if (found == index_text(name, files)) return std::nullopt;
  return fmt::format("{}: is not the index of the files that are there; `assay golden make` writes it",
                     index_name(name));
}

class DirectoryCheck {
 public:
  DirectoryCheck(const fs::path& directory, const CheckOptions& options)
      : directory_(directory), options_(options) {}

  Checked run() {
    if (!list()) return std::move(checked_);
    identify();
    look_at_files();
    if (options_.shard.index == 1) look_at_sets();
    std::sort(checked_.differing.begin(), checked_.differing.end());
    std::sort(checked_.unreadable.begin(), checked_.unreadable.end());
    return std::move(checked_);
  }

 private:
  bool list() {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(directory_, error)) {
      if (entry.path().extension() == kFileSuffix) files_.push_back(entry.path());
      const std::string name = set_of_index(entry.path().filename().string());
      if (!name.empty()) indices_.insert(name);
    }
    if (error) {
      checked_.unreadable = {
          fmt::format("{}: cannot be read as a directory: {}", directory_.string(), error.message())};
    } else if (files_.empty()) {
      checked_.unreadable = {fmt::format("{}: directory: has no *{} file", directory_.string(), kFileSuffix)};
    }
    std::sort(files_.begin(), files_.end());
    checked_.of = files_.size();
    return checked_.unreadable.empty();
  }

  /// Which set each file is of, by its header alone.
  void identify() {
    for (const fs::path& path : files_) {
      try {
        const FileIdentity identity = identity_of(path);
        sets_[identity.set].cases[identity.index] = identity.cases;
        sets_[identity.set].paths[identity.index] = path;
        sampled_.push_back(is_sampled(identity.index, identity.cases));
      } catch (const std::exception&) {  // said when it is looked at
        sampled_.push_back(false);
        // It is there, whatever it holds.
        if (const auto name = parse_file_name(path.filename().string()))
          sets_[name->set].unreadable.insert(name->index);
      }
    }
  }

  void look_at_files() {
    process::Pool pool(std::max(1U, options_.jobs));
    CheckProgress progress;
    for (std::size_t i = 0; i < files_.size(); ++i) progress.of += options_.shard.takes(i);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!options_.shard.takes(i)) continue;
      const fs::path& path = files_[i];
      checked_.files.push_back(path);
      const Solve solve = options_.all ? Solve::all : sampled_[i] ? Solve::sample : Solve::nothing;
      if (solve != Solve::nothing) ++checked_.solved;
      process::Job job;
      job.work = [&path, solve](const process::Reporter& reporter) {
        keep_freed_memory();
        reporter.send({{"differing", differences_of(path, solve)}});
      };
      job.hear = [this, &path](const nlohmann::json& message) {
        for (const auto& line : message["differing"])
          checked_.differing.push_back(with_file(path, line.get<std::string>()));
        if (!message["differing"].empty()) faulty_.insert(path);
        return true;
      };
      job.ended = [this, &path, &progress, solve](const process::JobEnd& end) {
        if (!end.clean()) faulty_.insert(path);
        ++progress.files;
        progress.looked_at = path;
        progress.solved = solve != Solve::nothing;
        progress.right = !faulty_.contains(path);
        if (options_.progress) options_.progress(progress);
        if (!end.failure.empty())
          checked_.unreadable.push_back(with_file(path, end.failure));
        else if (end.death)
          checked_.unreadable.push_back(with_file(path, end.death->describe()));
      };
      pool.add(std::move(job));
    }
    pool.run();
  }

  void look_at_sets() {
    const auto differ = [&](const std::string& line) {
      checked_.differing.push_back(fmt::format("{}: {}", directory_.string(), line));
    };
    for (const auto& [name, set] : sets_) {
      const auto problems = set.problems(name);
      for (const auto& line : problems) differ(line);
      // What is wrong with a file is said once, there.
      const bool faulty = std::any_of(set.paths.begin(), set.paths.end(),
                                      [&](const auto& file) { return faulty_.contains(file.second); });
      if (faulty || !problems.empty() || !set.unreadable.empty() || set.cases.empty()) continue;
      if (const auto line = problem_of_index(directory_, name, set)) differ(*line);
    }
    for (const std::string& name : indices_) {
      if (!sets_.contains(name))
        differ(fmt::format("{}: none of this set's files is there", index_name(name)));
    }
  }

  const fs::path& directory_;
  const CheckOptions& options_;
  Checked checked_;
  std::vector<fs::path> files_;
  std::vector<bool> sampled_;  ///< of files_
  std::set<std::string> indices_;
  std::set<fs::path> faulty_;
  std::map<std::string, Set> sets_;
};

}  // namespace

Checked check(const fs::path& directory, const CheckOptions& options) {
  return DirectoryCheck(directory, options).run();
}

}  // namespace assay::golden
