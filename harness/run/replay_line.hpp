// The line by which a failure can be seen again, written and read: the argument of `assay replay`. Anybody
// may write one.
#pragma once

#include <string>
#include <string_view>

#include "harness/run/test_devices.hpp"
#include "harness/verify/manifest.hpp"
#include "properties/cases/case.hpp"

namespace assay::run {

/// `kernel=... manifest=... mode=... operation=... M=... seed=...`, with `numerics=...` unless strict and
/// `law=...` where a law was tried.
std::string replay_line(const KernelEntry& entry, Mode mode, const properties::Case& test_case,
                        const std::string& law = "");

/// "assay replay '...'", for a shell.
std::string replay_command(const std::string& line);

/// One case of one kernel, as replay_line() writes it.
struct ReplayLine {
  std::string kernel, manifest;
  Mode mode;
  std::string law;  ///< "" where the case is held against the reference
  properties::Case test_case;
};

/// Throws std::invalid_argument that names the field: one that is missing, twice there or no such value.
ReplayLine parse_replay_line(std::string_view line);

/// Throws std::invalid_argument that names the field unless the case is one that `entry`, the kernel named,
/// may be asked for: its operation, dimensions that it takes, knobs that are drawn, a law of its operation.
void check_replay(const ReplayLine& line, const KernelEntry& entry);

}  // namespace assay::run
