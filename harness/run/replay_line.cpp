#include "harness/run/replay_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "properties/cases/operation.hpp"
#include "properties/cases/trial.hpp"
#include "properties/laws/law.hpp"

namespace assay::run {
namespace {

/// The value of `key`, which is taken out of the fields.
std::optional<std::string> take(properties::Fields& fields, std::string_view key) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == key; });
  if (found == fields.end()) return std::nullopt;
  std::string value = std::move(found->second);
  fields.erase(found);
  if (value.empty()) throw std::invalid_argument(fmt::format("{}: has no value behind the =", key));
  return value;
}

std::string require(properties::Fields& fields, std::string_view key) {
  if (auto value = take(fields, key)) return *value;
  throw std::invalid_argument(fmt::format("`{}=` is missing; paste the line that the failure printed", key));
}

Mode mode_of(const std::string& watched, const std::string& numerics) {
  if (watched != "fast" && watched != "checked") {
    throw std::invalid_argument(fmt::format("mode: `{}` is not a mode; write fast or checked", watched));
  }
  const auto found = std::find_if(kAllModes.begin(), kAllModes.end(),
                                  [&](Mode one) { return metal::name_of(numerics_of(one)) == numerics; });
  if (found == kAllModes.end()) {
    throw std::invalid_argument(fmt::format(
        "numerics: `{}` is not a numerics mode; write strict, contracted, reassociated, approximate, "
        "relaxed or flushed",
        numerics));
  }
  if (watched == "fast") return *found;
  if (*found != Mode::fast) {
    throw std::invalid_argument(fmt::format("numerics: {} runs in fast mode only", numerics));
  }
  return Mode::checked;
}

/// Errors of a line say that they are of one.
template <class F>
auto of_line(F&& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("replay line: {}", error.what()));
  }
}

/// A case of a golden file, as far as it can be told without the file.
void check_golden(const ReplayLine& line, const properties::Operation& operation) {
  const auto refuse = [](const char* field) {
    throw std::invalid_argument(
        fmt::format("{}: cannot stand beside golden=, whose file has the values", field));
  };
  if (!line.law.empty()) refuse("law");
  if (!line.test_case.schedule.empty()) refuse("schedule");
  if (!line.test_case.knobs.empty()) refuse("knob");
  properties::Case drawn = line.test_case;
  drawn.regime = operation.declaration().regimes.front().name;  // the file's may be one that is never drawn
  operation.check_case(drawn);
  for (const auto& [dimension, range] : line.test_case.part) {
    const auto found = line.test_case.dims.find(dimension);
    if (found != line.test_case.dims.end() &&
        static_cast<std::size_t>(found->second) == range.end - range.begin)
      continue;
    throw std::invalid_argument(fmt::format("part.{0}={1}:{2}: the part is {3} long, and {0} says otherwise",
                                            dimension, range.begin, range.end, range.end - range.begin));
  }
}

}  // namespace

std::string replay_line(const KernelEntry& entry, Mode mode, const properties::Case& test_case,
                        const std::string& law) {
  const auto numerics = numerics_of(mode) == Numerics::strict
                            ? std::string()
                            : fmt::format(" numerics={}", metal::name_of(numerics_of(mode)));
  return fmt::format("kernel={} manifest={} mode={}{}{} {}", properties::quoted(entry.name),
                     properties::quoted(entry.manifest.string()), mode == Mode::checked ? "checked" : "fast",
                     numerics, law.empty() ? "" : " law=" + law, properties::to_line(test_case));
}

std::string replay_command(const std::string& line) {
  std::string escaped;
  for (const char c : line) escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "assay replay '" + escaped + "'";
}

ReplayLine parse_replay_line(std::string_view line) {
  return of_line([&] {
    auto fields = properties::split_fields(line);
    ReplayLine read;
    read.kernel = require(fields, "kernel");
    read.manifest = require(fields, "manifest");
    const std::string mode = require(fields, "mode");
    read.mode = mode_of(mode, take(fields, "numerics").value_or("strict"));
    read.law = take(fields, "law").value_or("");
    read.test_case = properties::case_of(fields);
    return read;
  });
}

void check_replay(const ReplayLine& line, const KernelEntry& entry) {
  of_line([&] {
    if (line.test_case.operation != entry.operation) {
      throw std::invalid_argument(fmt::format("operation: kernel {} computes {}, not {}", line.kernel,
                                              entry.operation, line.test_case.operation));
    }
    const auto& operation = properties::operation_of(entry);
    if (line.test_case.golden.empty()) {
      operation.check_case(line.test_case);
      operation.check_knobs(line.test_case, entry.arithmetic);
    } else {
      check_golden(line, operation);
    }
    if (const auto unmet = entry.unmet_requirement(line.test_case.dims)) throw std::invalid_argument(*unmet);
    if (!line.law.empty()) properties::laws::find_law(operation, line.law);
  });
}

}  // namespace assay::run
