#include "harness/metal/compile/cache.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/own_folder.hpp"
#include "harness/metal/compile/toolchain.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

// What follows an object or a precompiled header in its file; loaders and compilers pay no heed to it.
std::string seal_of(std::string_view object) { return "assay:" + content_hash(object); }
constexpr std::size_t kSealBytes = 6 + 32;

// Entries of a cache, by how their names begin and end. What is not among them is not ours: a cache may be a
// directory that somebody uses for other things too.
struct Known {
  const char* what;
  std::string_view begin, end;
  bool scratch = false;
  bool read_by_runs = false;  // by name, at any time of theirs
};
constexpr std::array<Known, 10> kKnown = {{{"compiled kernels", "", ".so"},
                                           {"precompiled headers", "prelude-", "", false, true},
                                           {"stand-in headers", "stdlib-", "", false, true},
                                           {"what compilers are", "compiler-", ""},
                                           {"judged mutants", "mutation", ""},
                                           {"manifests of assay check", "checked", "", false, true},
                                           {"kernels verified from Python", "python", "", false, true},
                                           {"texts of kernels", "texts", "", false, true},
                                           {"scratch", "run-", "", true},
                                           {"scratch that ASSAY_KEEP kept", "kept-", ""}}};

const Known* known_as(std::string_view name) {
  for (const Known& known : kKnown) {
    if (name.starts_with(known.begin) && name.ends_with(known.end)) return &known;
  }
  return nullptr;
}

std::string size_text(std::uintmax_t bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return unit == 0 ? fmt::format("{} {}", bytes, kUnits[0]) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

}  // namespace

std::optional<std::string> find_cached(const fs::path& cache, const std::string& name) {
  auto content = own_file(cache / name);
  if (!content || content->size() < kSealBytes) return std::nullopt;
  const auto object = std::string_view(*content).substr(0, content->size() - kSealBytes);
  if (content->substr(object.size()) != seal_of(object)) return std::nullopt;
  content->resize(object.size());
  return content;
}

std::string store_cached(const fs::path& cache, const std::string& name, std::string made) {
  write_atomically(cache / name, made + seal_of(made), scratch_root(cache));
  return made;
}

fs::path kept_manifests(const fs::path& cache) { return cache / "checked"; }

fs::path kept_texts(const fs::path& cache) { return cache / "texts"; }

fs::path keep_text(const fs::path& cache, const std::string& text, const std::string& file) {
  const auto folder = kept_texts(cache) / content_hash(text);
  if (content_of(folder / file) != text) {
    fs::create_directories(folder);
    write_atomically(folder / file, text);
  }
  return folder / file;
}

CacheContents contents_of(const fs::path& cache) {
  CacheContents contents;
  for (const Known& known : kKnown) contents.kinds.push_back({known.what, 0, 0});
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(cache, failed)) {
    const Known* known = known_as(entry.path().filename().string());
    if (known == nullptr) continue;
    auto& kind = contents.kinds[static_cast<std::size_t>(known - kKnown.data())];
    const auto add = [&](const fs::path& file) {
      std::error_code gone;  // others may be at work
      const auto bytes = fs::file_size(file, gone);
      if (gone) return;
      ++kind.files;
      kind.bytes += bytes;
    };
    if (!entry.is_directory(failed)) add(entry.path());
    for (auto below = fs::recursive_directory_iterator(entry.path(), failed); below != fs::end(below);
         below.increment(failed)) {
      if (below->is_regular_file(failed)) add(below->path());
    }
  }
  return contents;
}

std::string to_text(const CacheContents& contents) {
  std::string text;
  for (const auto& kind : contents.kinds) {
    if (kind.files == 0) continue;
    text += fmt::format("  {:<30} {:>8} {:<6} {:>10}\n", kind.name, kind.files,
                        kind.files == 1 ? "file" : "files", size_text(kind.bytes));
  }
  return text;
}

void clear_cache(const fs::path& cache) {
  at_rest(cache, [&](bool used) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(cache, failed)) {
      const Known* known = known_as(entry.path().filename().string());
      if (known == nullptr || (used && known->read_by_runs) ||
          (known->scratch && scratch_in_use(entry.path())))
        continue;
      fs::remove_all(entry.path(), failed);
      if (failed)
        throw ToolchainError(fmt::format("cannot remove {}: {}", entry.path().string(), failed.message()));
    }
  });
}

}  // namespace assay::metal
