#include "harness/device/text_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

namespace assay::device {
namespace {

namespace fs = std::filesystem;

struct Folders {
  std::mutex lock;
  std::vector<fs::path> of_all, projects;
};

Folders& folders() {
  static Folders all;
  return all;
}

void add(std::vector<fs::path>& to, const fs::path& folder) {
  fs::path real = resolved(folder);
  const std::lock_guard guard(folders().lock);
  if (std::find(to.begin(), to.end(), real) == to.end()) to.push_back(std::move(real));
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

bool may_be_project(const fs::path& folder) {
  const char* const home = std::getenv("HOME");
  return folder.has_relative_path() && (home == nullptr || *home == '\0' || folder != resolved(home));
}

}  // namespace

fs::path resolved(const fs::path& path) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed);
  fs::path real = fs::weakly_canonical(absolute, failed);
  if (failed) real = absolute.lexically_normal();
  return real.has_filename() ? real : real.parent_path();  // "folder/" has an empty last element
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

void allow_texts(const fs::path& folder) { add(folders().of_all, folder); }

void allow_project(const fs::path& folder) { add(folders().projects, folder); }

bool may_hold_text(const fs::path& folder, const fs::path& file) {
  const fs::path real = resolved(file);
  const std::lock_guard guard(folders().lock);
  const auto& all = folders().of_all;
  return lies_in(real, resolved(folder)) ||
         std::any_of(all.begin(), all.end(), [&](const fs::path& one) { return lies_in(real, one); });
}

std::vector<fs::path> text_folders_of(const fs::path& text) {
  const fs::path real = resolved(text);
  const std::lock_guard guard(folders().lock);
  std::vector<fs::path> found = folders().of_all;
  for (const fs::path& project : folders().projects) {
    if (lies_in(real, project)) found.push_back(project);
  }
  return found;
}

fs::path project_around(const fs::path& file) {
  const fs::path own = resolved(folder_of(file));
  std::error_code absent;
  for (fs::path up = own; up.has_relative_path(); up = up.parent_path()) {
    for (const char* mark : {".git", ".hg", ".jj", ".svn"}) {
      if (fs::exists(up / mark, absent)) return may_be_project(up) ? up : own;
    }
  }
  const fs::path here = resolved(fs::current_path(absent));
  return lies_in(own, here) && may_be_project(here) ? here : own;
}

}  // namespace assay::device
