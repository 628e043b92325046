// Our kernels, changed to mean something else: small edits of their text, and of their manifest entries.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::semantics {

namespace fs = std::filesystem;

/// What stands in a file below kernels/, once, and what stands there instead.
struct Edit {
  std::string file, from, to;
};

/// A kernel of ours that means something else by one word.
struct Other {
  std::string name;    ///< of the test
  std::string kernel;  ///< in kernels.toml
  std::string word;    ///< what the entry's `semantics` has
  std::vector<Edit> edits;
  std::vector<Edit> entry = {};  ///< edits of the entry, beside the word; their files are not named
};

inline std::ostream& operator<<(std::ostream& out, const Other& other) { return out << other.name; }

inline void replace_once(const Edit& edit, std::string& text) {
  const auto at = text.find(edit.from);
  if (at == std::string::npos || text.find(edit.from, at + 1) != std::string::npos)
    throw std::runtime_error(edit.file + " does not have this once: " + edit.from);
  text.replace(at, edit.from.size(), edit.to);
}

inline std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// A folder with our kernels and a manifest of one: with the meaning in its text, with the word in its entry.
class Changed {
 public:
  Changed(const Other& other, bool meant, bool said) {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = fmt::format("assay-semantics-{}-{}-{}{}", test->name(), getpid(), meant, said);
    for (char& c : name) c = c == '/' ? '_' : c;
    root_ = fs::temp_directory_path() / name;
    fs::copy(fs::path(ASSAY_SOURCE_DIR) / "kernels", root_, fs::copy_options::recursive);
    for (const Edit& edit : other.edits) {
      if (!meant) break;
      std::string text = text_of(root_ / edit.file);
      replace_once(edit, text);
      std::ofstream(root_ / edit.file) << text;
    }
    std::string entry = entry_of(other.kernel);
    if (said) {
      for (const Edit& edit : other.entry) replace_once(edit, entry);
      if (!other.word.empty()) entry += fmt::format("semantics = {{ {} }}\n", other.word);
    }
    std::ofstream(root_ / "kernels.toml") << entry;
  }
  ~Changed() { fs::remove_all(root_); }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;

  std::string manifest() const { return (root_ / "kernels.toml").string(); }

 private:
  /// Its table as it stands, less what it claims.
  std::string entry_of(const std::string& kernel) const {
    const std::string all = text_of(root_ / "kernels.toml");
    const auto name = all.find(fmt::format("name = \"{}\"\n", kernel));
    if (name == std::string::npos) throw std::runtime_error("no kernel " + kernel);
    const auto begin = all.rfind("[[kernel]]", name);
    std::string entry = all.substr(begin, all.find("[[kernel]]", name) - begin);
    return entry.substr(0, entry.find("[kernel.claims]"));
  }

  fs::path root_;
};

}  // namespace assay::semantics
