// The listed mutants (the .toml files beside this): right kernels with one stated change each. Those of a
// file are of our kernels, or of the `folder` that it names.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/run/verifier.hpp"

namespace assay::mutants {

namespace fs = std::filesystem;

inline const fs::path kSource = ASSAY_SOURCE_DIR;

struct Mutant {
  std::string name, kernel, file, replace, with, why;
  fs::path folder;  ///< of the kernels and their kernels.toml
  std::uint64_t cases = run::VerifyOptions{}.cases;
  std::vector<std::string> verdicts;   ///< each would be the truth; the first says most
  std::optional<std::string> only_in;  ///< the one numerics mode that it does not survive
  std::optional<run::Mode> mode;       ///< the one that is run, where each takes long and finds the same
  std::vector<std::string> laws;       ///< that reject it by themselves, without the reference
  std::vector<std::string> places;     ///< what its report must say, line breaks aside: where the cause is

  /// A verdict that fast mode does not have: there such a kernel may run all cases and pass.
  bool only_checked_mode_sees() const {
    return verdicts == std::vector<std::string>{"race"} ||
           verdicts == std::vector<std::string>{"divergent barrier"} ||
           verdicts == std::vector<std::string>{"needs residency"};
  }

  /// How to verify it: in so many modes, with so many simpler cases tried of a large one.
  struct Attempt {
    std::vector<run::Mode> modes;
    std::uint64_t tries_of_large = run::VerifyOptions{}.tries_of_large;
  };
  /// The next where one does not reject it as listed. Every mode is a compilation and a run of its own, and
  /// large cases take long to shrink: the first attempt spares what most mutants do not need.
  std::vector<Attempt> attempts() const {
    using run::Mode;
    if (only_in) {
      std::set<Mode> modes = {Mode::fast, Mode::contracted, Mode::reassociated};
      for (const auto one : run::kAllModes)
        if (metal::name_of(run::numerics_of(one)) == *only_in) modes.insert(one);
      return {{{modes.begin(), modes.end()}}};
    }
    const bool of_results = verdicts.front() == "wrong result" || verdicts.front() == "law broken";
    std::vector<Mode> all = {Mode::fast, Mode::checked};
    if (only_checked_mode_sees()) all = {Mode::checked};
    if (mode) all = {*mode};
    return {{{all.size() == 1 || of_results ? all.front() : Mode::checked}, 10}, {all}};
  }
};
inline void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.verdicts.front(); }

inline void read_mutants(const fs::path& file, std::vector<Mutant>& mutants) {
  const auto table = toml::parse_file(file.string());
  const auto folder = kSource / table["folder"].value_or(std::string("kernels"));
  for (const auto& node : *table["mutant"].as_array()) {
    const auto& entry = *node.as_table();
    Mutant mutant;
    mutant.folder = folder;
    for (const auto& [key, member] : {std::pair{"name", &mutant.name},
                                      {"kernel", &mutant.kernel},
                                      {"file", &mutant.file},
                                      {"replace", &mutant.replace},
                                      {"with", &mutant.with},
                                      {"why", &mutant.why}}) {
      *member = entry[key].value<std::string>().value();
    }
    mutant.cases = entry["cases"].value_or(mutant.cases);
    for (const auto& verdict : *entry["verdict"].as_array()) {
      mutant.verdicts.push_back(verdict.value<std::string>().value());
    }
    mutant.only_in = entry["only_in"].value<std::string>();
    if (const auto name = entry["mode"].value<std::string>()) mutant.mode = run::mode_named(*name).value();
    for (const auto& [key, list] : {std::pair{"place", &mutant.places}, {"laws", &mutant.laws}}) {
      const auto* texts = entry[key].as_array();
      if (texts == nullptr) continue;
      for (const auto& text : *texts) list->push_back(text.value<std::string>().value());
    }
    mutants.push_back(std::move(mutant));
  }
}

inline std::vector<Mutant> read_mutants() {
  std::vector<Mutant> mutants;
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(kSource / "tests/mutants"))
    if (file.path().extension() == ".toml") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) read_mutants(file, mutants);
  return mutants;
}

inline std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The kernels' folder with one text changed, for as long as the test runs.
class ChangedKernels {
 public:
  explicit ChangedKernels(const Mutant& mutant)
      : root_(fs::temp_directory_path() / fmt::format("assay-mutant-{}-{}", mutant.name, getpid())) {
    fs::create_directories(root_);
    fs::copy(mutant.folder, root_, fs::copy_options::recursive);
    std::string text = read(root_ / mutant.file);
    const auto at = text.find(mutant.replace);
    if (at == std::string::npos) throw std::runtime_error(mutant.file + " no longer has: " + mutant.replace);
    if (text.find(mutant.replace, at + 1) != std::string::npos) {
      throw std::runtime_error(mutant.file + " has more than once: " + mutant.replace);
    }
    text.replace(at, mutant.replace.size(), mutant.with);
    std::ofstream(root_ / mutant.file) << text;
  }
  ~ChangedKernels() { fs::remove_all(root_); }
  std::string manifest() const { return (root_ / "kernels.toml").string(); }

 private:
  fs::path root_;
};

}  // namespace assay::mutants
