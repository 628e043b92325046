#include <fmt/format.h>

#include <algorithm>

#include "golden/content_hash.hpp"
#include "golden/kept_memory.hpp"
#include "golden/make.hpp"
#include "golden/set_index.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/process/pool.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

/// Has it that metadata? Its data are not looked at.
bool is_of(const PlannedFile& planned, const Header& header) {
  return std::all_of(planned.identity.begin(), planned.identity.end(), [&](const auto& wanted) {
    const auto found = header.metadata.find(wanted.first);
    return found != header.metadata.end() && found->second == wanted.second;
  });
}

/// One that is written, and how far it has come.
struct UnderWay {
  const PlannedFile* file = nullptr;
  std::uint64_t bytes = 0;
  bool done = false;

  /// Of its own work; what it writes may be more than was thought.
  double work() const { return done ? file->work : std::min(static_cast<double>(bytes), 0.99 * file->work); }
};

/// Where its bytes go until it is whole.
fs::path part_of(const fs::path& file) { return file.string() + std::string(assay::kPartSuffix); }

}  // namespace

bool is_whole(const PlannedFile& planned) {
  try {
    const InputFile file(planned.path);
    const Header header = read_header(file);
    if (!is_of(planned, header)) return false;
    check_hash(file, header);
    return true;
  } catch (const FormatError&) {
    return false;
  }
}

void write_files(const std::vector<PlannedFile>& files, const MakeOptions& options, Made& made) {
  std::vector<UnderWay> todo;
  MakeProgress progress{.of = files.size()};
  for (const PlannedFile& file : files) {
    if (!options.fresh && is_whole(file)) {
      made.kept.push_back(file.path);
      ++progress.files;
    } else {
      todo.push_back({&file});
    }
  }
  double all = 0;
  for (const UnderWay& one : todo) all += one.file->work;
  const auto tell = [&] {
    if (!options.progress) return;
    double work = 0;
    for (const UnderWay& one : todo) work += one.work();
    progress.share = all == 0 ? 1 : work / all;
    options.progress(progress);
  };
  const auto at_once = static_cast<unsigned>(std::min<std::size_t>(std::max(1U, options.jobs), todo.size()));
  if (at_once == 0) return tell();
  const unsigned workers = std::max(1U, options.jobs) / at_once;
  process::Pool pool(at_once);
  for (UnderWay& one : todo) {
    process::Job job;
    job.work = [&one, workers](const process::Reporter& reporter) {
      keep_freed_memory();
      one.file->write(workers, [&](std::uint64_t bytes) { reporter.send({{"bytes", bytes}}); });
    };
    job.hear = [&](const nlohmann::json& message) {
      const auto bytes = message["bytes"].get<std::uint64_t>();
      one.bytes += bytes;
      progress.bytes += bytes;
      tell();
      return true;
    };
    job.ended = [&](const process::JobEnd& end) {
      if (!end.failure.empty()) throw FormatError(end.failure);
      if (end.death) throw FormatError(fmt::format("{}: {}", one.file->path.string(), end.death->describe()));
      one.done = true;
      ++progress.files;
      made.written.push_back(one.file->path);
      progress.finished = one.file->path;
      tell();
      progress.finished.clear();
    };
    pool.add(std::move(job));
  }
  try {
    pool.run();
  } catch (const process::Interrupted&) {
    std::error_code absent;
    for (const UnderWay& one : todo) fs::remove(part_of(one.file->path), absent);
    throw;
  }
  std::sort(made.written.begin(), made.written.end());
}

fs::path write_index(const std::string& set, const std::vector<PlannedFile>& files,
                     const fs::path& directory) {
  std::vector<fs::path> paths;
  for (const PlannedFile& planned : files) {
    try {
      const InputFile file(planned.path);
      if (!is_of(planned, read_header(file))) return {};
    } catch (const FormatError&) {
      return {};
    }
    paths.push_back(planned.path);
  }
  fs::path path = directory / index_name(set);
  const std::string text = index_text(set, paths);
  const std::string_view pieces[] = {text};
  try {
    assay::replace_file(path, pieces);
  } catch (const std::runtime_error& error) {
    throw FormatError(error.what());
  }
  return path;
}

}  // namespace assay::golden
