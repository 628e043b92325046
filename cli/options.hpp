// Options that several commands have. What they are given must outlive the parsing.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/arguments.hpp"
#include "cli/option_values.hpp"

namespace assay::cli {

/// An option with what it takes; --help shows that, and what it is without it, where that is something.
template <class T>
CLI::Option* add(CLI::App& app, const char* name, T& value, const CLI::Validator& takes, const char* help) {
  auto* option = app.add_option(name, value, help)->transform(takes)->capture_default_str();
  return takes.get_name() == kPath ? option->type_name("PATH")
                                   : option;  // of other types CLI11 knows the name
}

/// Folders beyond a manifest's that its files may lie in.
void add_allowed(CLI::App& app);
void add_manifest(CLI::App& app, Kernels& kernels);
/// The manifest, and names of its kernels.
void add_kernels(CLI::App& app, Kernels& kernels);
/// Of the kernels of a manifest whose entries name none.
void add_metal_version(CLI::App& app);
void add_jobs(CLI::App& app, unsigned& jobs);
void add_device(CLI::App& app, std::string& device);
/// `quiet` and `verbose`: what is said then; no --verbose without.
void add_talk(CLI::App& app, Talk& talk, const char* quiet, const char* verbose);
CLI::Option* add_cases(CLI::App& app, std::uint64_t& cases, const char* help);
CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed, const char* help);
void add_json(CLI::App& app, report::Outputs& outputs);
void add_junit(CLI::App& app, report::Outputs& outputs);
void add_page(CLI::App& app, report::Outputs& outputs);
/// JSON, JUnit and a page.
void add_outputs(CLI::App& app, report::Outputs& outputs);
/// A file for the tensors of a case.
void add_dump(CLI::App& app, std::string& file, const char* help);
/// JSON, and which share of the work.
void add_results(CLI::App& app, Results& results);
void add_timeout(CLI::App& app, double& timeout_s);
CLI::Option* add_trace(CLI::App& app, bool& trace);

/// Of a run that may have several: `all`. Without, of a kernel on somebody's own tensors.
CLI::Option* add_numerics(CLI::App& app, std::string& value, bool all);

/// What --help says of options that draw cases for all kernels, or for one.
struct RunHelp {
  const char *cases = "", *coverage = "";
};

/// Those that others exclude.
struct RunOptions {
  CLI::Option *cases = nullptr, *seed = nullptr, *at = nullptr, *trace = nullptr;
};

/// How kernels are run: on what, with which cases, in which modes, and for how long.
RunOptions add_run(CLI::App& app, run::Request& request, const RunHelp& help);

/// What is told of a kernel: each option may stand there several times. `sizes`: also of its buffers, its
/// dimensions and its grid.
void add_told(CLI::App& app, draft::Told& told, bool sizes);

/// Somebody's own tensors for a kernel; gives the option that names their file.
CLI::Option* add_own_inputs(CLI::App& app, run::OwnInputs& own);

}  // namespace assay::cli
