#include "cli/common_options.hpp"

#include "cli/option_values.hpp"

namespace assay::cli {

void add_manifest(CLI::App& command, std::optional<std::string>& manifest) {
  command.add_option("--manifest", manifest, "the kernels' manifest (default: Assay's own)")->check(path());
}

void add_kernels(CLI::App& command, std::vector<std::string>& kernels, std::optional<std::string>& manifest) {
  command.add_option("kernel", kernels, "kernels by name; all of the manifest if none is given");
  add_manifest(command, manifest);
}

CLI::Option* add_run_options(CLI::App& command, double& timeout_s, bool& trace) {
  command.add_option("--timeout", timeout_s, "seconds after which a case is stopped")
      ->transform(seconds())
      ->capture_default_str();
  return command.add_flag(
      "--trace", trace,
      "show every tensor before and after each launch: shape, type, range, NaN, first bytes");
}

}  // namespace assay::cli
