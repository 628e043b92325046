// `assay load FILE...`: which kernels of Metal files load.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <set>

#include "cli/commands.hpp"
#include "cli/draft_files.hpp"
#include "cli/last_words.hpp"
#include "cli/output.hpp"
#include "cli/progress_line.hpp"
#include "harness/draft/loads.hpp"
#include "harness/verify/numbers.hpp"

namespace assay::cli {
namespace {

// Kernels that one reason refuses are often many, and alike.
constexpr std::size_t kNamed = 3;

std::string names_of(const draft::Refusal& refusal, Talk talk) {
  const auto& all = refusal.kernels;
  if (talk == Talk::verbose || all.size() <= kNamed) return fmt::format("{}", fmt::join(all, ", "));
  return fmt::format("{} and {} more (--verbose names them)",
                     fmt::join(all.begin(), all.begin() + kNamed, ", "), grouped(all.size() - kNamed));
}

std::string text_of(const std::string& path, const draft::LoadedFile& file, Talk talk) {
  if (file.kernels == 0) return path + ": no kernel functions\n";
  std::string text =
      fmt::format("{}: {} of {} kernel{} load{}\n", path, grouped(file.loaded), grouped(file.kernels),
                  file.kernels == 1 ? "" : "s", file.kernels == 1 ? "s" : "");
  for (const auto& refusal : file.refusals)
    text += fmt::format("  {}\n    {}\n", refusal.why, names_of(refusal, talk));
  if (talk == Talk::quiet) return text;
  for (const auto& constant : file.constants)
    text += fmt::format("  {}; --constant says otherwise\n", constant);
  return text;
}

}  // namespace

int run_command(const LoadArguments& arguments) {
  std::size_t kernels = 0, loaded = 0, files = 0, unread = 0;
  std::set<std::uint32_t> used;
  ProgressLine line(arguments.talk);
  const process::Interruptible noting;
  const auto add = [&](const std::string& path) {
    auto source = arguments.told.source;
    source.path = path;
    allow_told(source);
    try {
      const auto file = draft::load_kernels(source, arguments.jobs, [&](std::size_t done, std::size_t of) {
        if (line.due()) line.show(fmt::format("{}: {} of {} kernels", path, done, of));
      });
      kernels += file.kernels;
      loaded += file.loaded;
      used.insert(file.used_constants.begin(), file.used_constants.end());
      const auto text = text_of(path, file, arguments.talk);
      if (file.loaded < file.kernels)
        line.print(text);
      else
        line.note(text);
    } catch (const process::Interrupted&) {
      throw;
    } catch (const std::exception& error) {  // of the file as a whole
      ++unread;
      line.take_back();
      complain(fmt::format("assay: {}", error.what()));
    }
    ++files;
  };
  const auto counted = [&] {
    return fmt::format("{} of {} kernel{} of {} file{} load{}", grouped(loaded), grouped(kernels),
                       kernels == 1 ? "" : "s", grouped(files), files == 1 ? "" : "s",
                       kernels == 1 ? "s" : "");
  };
  return tell_if_interrupted(
      line,
      [&] {
        for (const auto& path : arguments.files) {
          add(path);
          process::throw_if_interrupted();
        }
        line.print(fmt::format("{}{}\n", counted(),
                               unread == 0 ? ""
                                           : fmt::format("; {} file{} could not be read", grouped(unread),
                                                         unread == 1 ? "" : "s")));
        bool unused = false;
        for (const auto& [index, value] : arguments.told.source.function_constants) {
          if (used.contains(index)) continue;
          unused = true;
          complain(
              fmt::format("assay: --constant {}={}: no kernel that was read uses [[function_constant({})]]",
                          index, value, index));
        }
        return !unused && loaded == kernels && unread == 0 && kernels > 0 ? 0 : 2;
      },
      [&] { return counted() + ", so far"; });
}

}  // namespace assay::cli
