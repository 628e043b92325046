// `assay init`: files to start from.
#include <filesystem>
#include <vector>

#include "cli/commands.hpp"
#include "cli/draft_files.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "harness/device/text_folders.hpp"
#include "harness/draft/draft.hpp"
#include "harness/draft/starter.hpp"

namespace assay::cli {

namespace fs = std::filesystem;
namespace {

// `source`: of a drafted manifest, whose folder it need not lie in.
std::string verify_line(const fs::path& manifest, const fs::path& source = {}) {
  const fs::path folder = device::resolved(manifest).parent_path();
  std::string line = "assay verify --manifest " + manifest.string();
  if (!source.empty() && !device::lies_in(device::resolved(source), folder))
    line += " --allow-dir " + device::project_around(source).string();
  return line;
}

// "a.toml" rather than "./a.toml".
fs::path in_folder(const fs::path& folder, const std::string& name) {
  return (folder / name).lexically_normal();
}

int start(const InitArguments& arguments) {
  const bool says = arguments.talk != Talk::quiet;
  const fs::path folder = arguments.directory;
  const auto files = draft::starter_files();
  fs::create_directories(folder);
  for (const auto& file : files) {  // all of them, or none
    const auto path = in_folder(folder, file.name);
    if (!arguments.force && fs::exists(path)) write_new(path, file.text, false);
  }
  for (const auto& file : files) {
    const auto path = in_folder(folder, file.name);
    write_new(path, file.text, true);
    if (says) print("wrote {}\n", path.string());
  }
  if (!says) return 0;
  const auto manifest = in_folder(folder, "kernels.toml");
  print("\nNext:\n  {}\n  assay mutate --manifest {} --sample 20\n", verify_line(manifest),
        manifest.string());
  return 0;
}

// The manifest of a file's kernels.
int draft_file(const InitArguments& arguments) {
  const fs::path folder = arguments.directory;
  const fs::path manifest = in_folder(folder, fs::path(*arguments.file).stem().string() + ".toml");
  auto told = arguments.told;
  told.source.path = *arguments.file;
  allow_told(told.source);
  std::vector<std::string> kernels = draft::kernels_of(told.source);
  if (arguments.function || kernels.empty()) kernels = {choose_kernel(told.source, arguments.function)};
  std::string text, first_error;
  std::size_t drafted = 0;
  const process::Interruptible noting;  // all along: between two kernels, too, it knows how many there were
  ProgressLine line(arguments.talk);
  const auto add = [&](const std::string& kernel) {
    told.source.function = kernel;
    try {
      const auto draft = draft::draft_kernel(told, [&](const std::string& what) {
        if (line.due()) line.show(fmt::format("{}: {}", kernel, what));
      });
      const auto table = draft::manifest_text(draft, folder);
      text += drafted++ == 0 ? table : '\n' + table.substr(table.find("[[kernel]]"));
      for (const auto& guess : draft.guesses) line.note(fmt::format("{}: {}\n", draft.name, guess));
    } catch (const std::exception& error) {
      if (kernels.size() == 1) throw;
      complain("assay: " + kernel + ": " + error.what());
    }
  };
  const auto write = [&] {
    for (const auto& kernel : kernels) {
      add(kernel);
      process::throw_if_interrupted();
    }
    if (drafted == 0) {
      complain("assay: " + *arguments.file + ": Assay could draft none of its kernels");
      return 2;
    }
    fs::create_directories(folder);
    write_new(manifest, text, arguments.force);
    line.note(fmt::format("\nwrote {}: {} of {} kernels\n\nNext: look at the shapes and values, then\n  {}\n",
                          manifest.string(), drafted, kernels.size(),
                          verify_line(manifest, *arguments.file)));
    return 0;
  };
  return tell_if_interrupted(line, write, [&] {
    return fmt::format("{} of {} kernels were drafted; nothing was written", drafted, kernels.size());
  });
}

}  // namespace

int run_command(const InitArguments& arguments) {
  if (arguments.file) return draft_file(arguments);
  const auto& source = arguments.told.source;
  if (!source.defines.empty() || !source.include_dirs.empty() || !source.text_prefix.empty() ||
      !source.function_constants.empty())
    throw std::invalid_argument(
        "init: --define, --constant, --include-dir and --text-prefix need a .metal file; name one");
  return start(arguments);
}

}  // namespace assay::cli
