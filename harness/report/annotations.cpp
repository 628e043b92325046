#include "harness/report/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/junit.hpp"
#include "harness/run/replay_line.hpp"

namespace assay::report {
namespace {

namespace fs = std::filesystem;

std::string escaped(std::string_view text, std::string_view which) {
  std::string out;
  for (const char c : xml_characters(text)) {
    if (which.find(c) == which.npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// From the workspace where the file lies below it, else as it is.
std::string from_workspace(const std::string& file, const fs::path& workspace) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file, failed), failed);
  const fs::path root = fs::weakly_canonical(workspace, failed);
  const fs::path below = failed ? fs::path() : whole.lexically_relative(root);
  return below.empty() || *below.begin() == ".." ? file : below.string();
}

}  // namespace

std::string escaped_message(std::string_view text) { return escaped(text, "%\r\n"); }
std::string escaped_property(std::string_view text) { return escaped(text, "%\r\n:,"); }

device::SourcePlace place_of(const KernelResult& kernel, const run::ModeReport& mode) {
  return mode.place.value_or(kernel.place);
}

std::string annotations(const Verified& verified, const fs::path& workspace) {
  std::string lines;
  for (const auto& kernel : verified.kernels) {
    const auto& decisive = kernel.report.decisive();
    if (decisive.verdict == Verdict::pass) continue;
    const auto place = place_of(kernel, decisive);
    std::string message = decisive.summary;
    if (!decisive.replay.empty()) message += fmt::format("\n{}", run::replay_command(decisive.replay));
    lines +=
        fmt::format("::error file={},line={},title={}::{}\n",
                    escaped_property(from_workspace(place.file, workspace)), std::max(1U, place.line),
                    escaped_property(fmt::format("{}: {} ({})", kernel.name, assay::name_of(decisive.verdict),
                                                 name_of(decisive.mode))),
                    escaped_message(message));
  }
  return lines;
}

}  // namespace assay::report
