#include "golden/make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "golden/case_file.hpp"
#include "golden/set_index.hpp"
#include "harness/verify/replace_file.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

std::vector<PlannedFile> files_of(const PlannedSet& set, const fs::path& directory) {
  std::vector<PlannedFile> files;
  for (std::size_t index = 0; index < set.cases.size(); ++index) {
    const auto& [name, test_case] = set.cases[index];
    PlannedFile& file = files.emplace_back();
    file.path = directory / name;
    file.identity = {{"source", std::string(kSource)},
                     {"format", std::string(kFormat)},
                     {"program", std::string(program_version())},
                     {"request", set.request},
                     {"index", std::to_string(index)},
                     {"cases", std::to_string(set.cases.size())},
                     {"case", to_line(test_case)}};
    file.work = bytes_of_case(test_case);
    file.write = [&set, path = file.path, &test_case = test_case, index](unsigned workers,
                                                                         const auto& written) {
      write_case(path, make_case(set.request, test_case, set.arithmetic, index, set.cases.size()), workers,
                 written);
    };
  }
  return files;
}

}  // namespace

std::vector<fs::path> remove_later(const std::string& set, std::uint64_t first, const fs::path& directory,
                                   const Shard& shard) {
  std::vector<fs::path> removed;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    std::string name = entry.path().filename().string();
    const bool part = name.ends_with(assay::kPartSuffix);
    if (part) name.resize(name.size() - assay::kPartSuffix.size());
    const auto parsed = parse_file_name(name);
    if (!parsed || parsed->set != set || !shard.takes(parsed->index)) continue;
    if (part || parsed->index >= first) removed.push_back(entry.path());
  }
  for (const fs::path& path : removed) {
    fs::remove(path, error);
    if (error) throw FormatError(fmt::format("{}: cannot be removed: {}", path.string(), error.message()));
  }
  // What a run that was ended has left is nobody's file.
  std::erase_if(removed, [](const fs::path& path) { return path.native().ends_with(assay::kPartSuffix); });
  std::sort(removed.begin(), removed.end());
  return removed;
}

Made make(const SetRequest& request, const fs::path& directory, const MakeOptions& options) {
  const PlannedSet set = plan_set(request);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    throw FormatError(
        fmt::format("{}: cannot be made as a directory: {}", directory.string(), error.message()));
  Made made;
  made.of = set.cases.size();
  made.removed = remove_later(set.name, set.cases.size(), directory, options.shard);
  const std::vector<PlannedFile> files = files_of(set, directory);
  std::vector<PlannedFile> own;
  for (std::size_t index = 0; index < files.size(); ++index) {
    if (options.shard.takes(index)) own.push_back(files[index]);
  }
  write_files(own, options, made);
  made.index = write_index(set.name, files, directory);
  return made;
}

}  // namespace assay::golden
