#include "cli/options.hpp"

#include <fmt/format.h>

#include "harness/device/metal_version.hpp"
#include "harness/device/text_folders.hpp"
#include "harness/process/slots.hpp"
#include "harness/run/manifests.hpp"

namespace assay::cli {

void add_allowed(CLI::App& app) {
  app.add_option_function<std::vector<std::string>>(
         "--allow-dir",
         [](const std::vector<std::string>& all) {
           for (const auto& one : all) device::allow_texts(one);
         },
         "texts, references and included files may also come from this folder; repeatable")
      ->type_name("PATH")
      ->allow_extra_args(false);
}

void add_manifest(CLI::App& app, Kernels& kernels) {
  add_allowed(app);
  add(app, "--manifest", kernels.manifest, path(),
      "the manifest that describes the kernels (default: kernels.toml here, or else Assay's own kernels)");
}

void add_kernels(CLI::App& app, Kernels& kernels) {
  app.add_option(
      "kernel", kernels.names,
      "names of kernels, or patterns such as 'marlin_*'; without any, all kernels of the manifest");
  add_manifest(app, kernels);
  add_metal_version(app);
}

void add_metal_version(CLI::App& app) {
  app.add_option_function<std::string>(
      "--metal-version",
      [](const std::string& text) {
        const auto version = device::metal_version_from(text);
        if (!version)
          throw CLI::ValidationError("--metal-version", "no version of Metal; write one such as 3.1");
        run::assume_metal_version(*version);
      },
      "the version of Metal of kernels whose entries name none, such as 3.1 (default: 3.2)");
}

void add_jobs(CLI::App& app, unsigned& jobs) {
  jobs = process::cores();
  add(app, "--jobs", jobs, whole_number(1, kMostJobs), "how many processes run at a time");
}

void add_device(CLI::App& app, std::string& device) {
  std::vector<std::string> names;
  std::string help = "the device that kernels run on:";
  for (const auto& one : device::devices()) {
    names.push_back(one.name);
    help += fmt::format(" {} ({})", one.name, one.about);
  }
  add(app, "--device", device, one_of(names), help.c_str());
}

void add_talk(CLI::App& app, Talk& talk, const char* quiet, const char* verbose) {
  auto* less = app.add_flag_callback(
      "-q,--quiet", [&talk] { talk = Talk::quiet; }, quiet);
  if (verbose == nullptr) return;
  app.add_flag_callback(
         "-v,--verbose", [&talk] { talk = Talk::verbose; }, verbose)
      ->excludes(less);
}

CLI::Option* add_cases(CLI::App& app, std::uint64_t& cases, const char* help) {
  return add(app, "--cases", cases, whole_number(1, kMostCases), help);
}

CLI::Option* add_seed(CLI::App& app, std::uint64_t& seed, const char* help) {
  return add(app, "--seed", seed, whole_number(0, kLargestSeed), help);
}

void add_json(CLI::App& app, report::Outputs& outputs) {
  add(app, "--json", outputs.json, path(), "write the results here, as JSON (docs/machine_readable.md)");
}

void add_junit(CLI::App& app, report::Outputs& outputs) {
  add(app, "--junit", outputs.junit, path(), "write the verdicts here, as JUnit XML");
}

void add_page(CLI::App& app, report::Outputs& outputs) {
  add(app, "--report", outputs.page, path(),
      "write a page for people into this directory, and its figures as JSON (docs/report_page.md)");
}

void add_outputs(CLI::App& app, report::Outputs& outputs) {
  add_json(app, outputs);
  add_junit(app, outputs);
  add_page(app, outputs);
}

void add_dump(CLI::App& app, std::string& file, const char* help) {
  app.add_option("--dump", file, help)->transform(path())->type_name("PATH");
}

void add_results(CLI::App& app, Results& results) {
  add_json(app, results.outputs);
  add(app, "--shard", results.shard, shard(),
      "run share I of N; assay merge joins the shares. Without it, the variables of googletest, Slurm and "
      "Kubernetes decide");
}

void add_timeout(CLI::App& app, double& timeout_s) {
  add(app, "--timeout", timeout_s, seconds(), "stop a case after so many seconds of processor time");
}

void add_told(CLI::App& app, draft::Told& told, bool sizes) {
  add_allowed(app);
  const auto each = [&app, &told](const char* name, void (*tell)(draft::Told&, const std::string&),
                                  const char* help) {
    app.add_option_function<std::vector<std::string>>(
           name,
           [&told, tell](const std::vector<std::string>& all) {
             for (const auto& one : all) tell(told, one);
           },
           help)
        ->take_all()
        ->allow_extra_args(false);
  };
  each("--define", draft::tell_define, "define a macro: NAME=TEXT; repeatable");
  app.add_option_function<std::string>(
      "--metal-version", [&told](const std::string& text) { draft::tell_metal_version(told, text); },
      "the version of Metal that the text is for, such as 3.1 (default: 3.2)");
  each("--constant", draft::tell_constant, "the value of a function constant: INDEX=VALUE; repeatable");
  app.add_option_function<std::vector<std::string>>(
         "--include-dir",
         [&told](const std::vector<std::string>& all) {
           told.source.include_dirs.assign(all.begin(), all.end());
         },
         "also look in this folder for files that #include names; repeatable")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--text-prefix",
         [&told](const std::vector<std::string>& all) {
           told.source.text_prefix.assign(all.begin(), all.end());
         },
         "a file that the host puts before the kernel's text; repeatable, in this order")
      ->allow_extra_args(false);
  if (!sizes) return;
  each("--buffer", draft::tell_buffer,
       "what a buffer is: NAME=TYPE[SIZES]:ACCESS:VALUES, such as y=half[M,N]:out or ids=uint[T]:below=E; "
       "each part may be left out; repeatable");
  each("--texture", draft::tell_texture,
       "what a texture is: NAME=FORMAT[EXTENTS]:ACCESS:VALUES, such as image=rgba16float[H,W] or "
       "out=r32uint:out; "
       "each part may be left out; repeatable");
  each("--dim", draft::tell_dimension,
       "the sizes of a dimension: N=1:4096, N=32:4096:32 (multiples of 32), N=64 or N=64,128; repeatable");
  each("--scalar", draft::tell_scalar, "the value of a scalar: eps=1e-5, stride=N; repeatable");
  each("--threadgroup-memory", draft::tell_threadgroup_memory,
       "the bytes of the argument [[threadgroup(INDEX)]]: 0=4*N; repeatable");
  app.add_option_function<std::string>(
      "--resident-threadgroups",
      [&told](const std::string& text) { draft::tell_resident_threadgroups(told, text); },
      "how many threadgroups are in flight at once, for kernels whose threadgroups wait for one another");
  app.add_option_function<std::string>(
      "--threads", [&told](const std::string& text) { draft::tell_threads(told, text); },
      "the threads of a threadgroup: 64, or 16,16");
  app.add_option_function<std::string>(
      "--grid", [&told](const std::string& text) { draft::tell_grid(told, text); },
      "the grid, as expressions over dimensions: M, or ceil(N/64),M,1");
  app.add_option_function<std::string>(
         "--grid-unit", [&told](const std::string& text) { told.grid_in_threads = text == "threads"; },
         "what the grid counts (default: threads if the kernel uses thread_position_in_grid)")
      ->check(one_of({"threads", "threadgroups"}));
}

CLI::Option* add_trace(CLI::App& app, bool& trace) {
  return app.add_flag("--trace", trace, "show each tensor around each launch: shape, range, first bytes");
}

CLI::Option* add_numerics(CLI::App& app, std::string& value, bool all) {
  std::vector<std::string> names = {"strict",      "contracted", "reassociated",
                                    "approximate", "relaxed",    "flushed"};
  std::string help = "how the compiler may change floating-point arithmetic; checked mode is strict";
  if (all) {
    names.push_back("all");
    help += ". all: strict, contracted, reassociated and approximate";
  } else {
    help = "with --inputs: " + help;
  }
  return add(app, "--numerics", value, one_of(names), help.c_str());
}

RunOptions add_run(CLI::App& app, run::Request& request, const RunHelp& help) {
  auto& options = request.options;
  RunOptions added;
  add_device(app, options.device);
  added.cases = add_cases(app, options.cases, help.cases);
  added.seed = add_seed(app, options.seed, "the same seed gives the same cases");
  add(app, "--mode", request.mode, one_of({"fast", "checked", "both"}),
      "fast compares results; checked also watches every load and store, and every barrier");
  add_numerics(app, request.numerics, true);
  app.add_flag("--flush-subnormals", request.flush_subnormals, "also run with subnormals flushed to zero");
  app.add_flag("--coverage", options.coverage, help.coverage);
  app.add_option(
      "--schedules", request.schedules,
      "run all orders of threadgroups instead of cases: all, or as many as fit into a time such as 90s");
  added.at =
      app.add_option("--at", request.at, "run this shape instead of drawn cases: M=1,N=4096; repeatable");
  add_jobs(app, options.jobs);
  add_timeout(app, options.timeout_s);
  added.trace = add_trace(app, options.trace);
  return added;
}

CLI::Option* add_own_inputs(CLI::App& app, run::OwnInputs& own) {
  add_allowed(app);
  auto* inputs = add(app, "--inputs", own.file, path(),
                     "run the kernel on the tensors of this safetensors file instead of a case");
  auto* kernel = app.add_option("--kernel", own.kernel, "with --inputs: the name of the kernel");
  inputs->needs(kernel);
  CLI::Option* const others[] = {
      kernel,
      add(app, "--manifest", own.manifest, path(),
          "with --inputs: the manifest that describes the kernel (default: kernels.toml here, or else "
          "Assay's own kernels)"),
      add(app, "--mode", own.mode, one_of({"fast", "checked"}),
          "with --inputs: fast compares results; checked also watches every load, store and barrier"),
      add_numerics(app, own.numerics, false),
      app.add_option("--at", own.at,
                     "with --inputs: dimensions that cannot be found from the shapes: group_size=128,M=4")};
  for (auto* one : others) one->needs(inputs);
  return inputs;
}

}  // namespace assay::cli
