#include "assay/verdict.hpp"

#include <array>
#include <ostream>
#include <stdexcept>

namespace assay {
namespace {

struct Row {
  Verdict verdict;
  std::string_view name;
  int exit_status;
};

constexpr std::array kRows = {
    Row{Verdict::pass, "pass", 0},
    Row{Verdict::wrong_result, "wrong result", 1},
    Row{Verdict::law_broken, "law broken", 1},
    Row{Verdict::race, "race", 1},
    Row{Verdict::out_of_bounds, "out of bounds", 1},
    Row{Verdict::misaligned, "misaligned", 1},
    Row{Verdict::uninitialised_read, "uninitialised read", 1},
    Row{Verdict::undefined, "undefined operation", 1},
    Row{Verdict::divergent_barrier, "divergent barrier", 1},
    Row{Verdict::deadlock, "deadlock", 1},
    Row{Verdict::needs_residency, "needs residency", 1},
    Row{Verdict::over_budget, "over budget", 1},
    Row{Verdict::claim_differs, "claim differs", 1},
    Row{Verdict::timeout, "timeout", 1},
    Row{Verdict::crash, "crash", 1},
    Row{Verdict::vacuous, "vacuous", 2},
    Row{Verdict::unsupported, "unsupported", 2},
    Row{Verdict::error, "error", 2},
};

const Row& row_of(Verdict verdict) {
  for (const Row& row : kRows) {
    if (row.verdict == verdict) return row;
  }
  throw std::invalid_argument("not a verdict: " + std::to_string(static_cast<int>(verdict)));
}

}  // namespace

std::string_view name_of(Verdict verdict) { return row_of(verdict).name; }

std::ostream& operator<<(std::ostream& out, Verdict verdict) { return out << name_of(verdict); }

Verdict verdict_from_name(std::string_view name) {
  std::string names;
  for (const Row& row : kRows) {
    if (row.name == name) return row.verdict;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw std::invalid_argument("\"" + std::string(name) + "\" is no verdict; there are " + names);
}

Verdict verdict_of(device::FaultKind kind) {
  switch (kind) {
    case device::FaultKind::race:
      return Verdict::race;
    case device::FaultKind::out_of_bounds:
      return Verdict::out_of_bounds;
    case device::FaultKind::misaligned:
      return Verdict::misaligned;
    case device::FaultKind::uninitialised_read:
      return Verdict::uninitialised_read;
    case device::FaultKind::divergent_barrier:
      return Verdict::divergent_barrier;
    case device::FaultKind::deadlock:
      return Verdict::deadlock;
    case device::FaultKind::needs_residency:
      return Verdict::needs_residency;
    case device::FaultKind::over_budget:
      return Verdict::over_budget;
    case device::FaultKind::crash:
      return Verdict::crash;
    case device::FaultKind::undefined:
      return Verdict::undefined;
  }
  throw std::invalid_argument("not a kind of fault: " + std::to_string(static_cast<int>(kind)));
}

int exit_status(Verdict verdict) { return row_of(verdict).exit_status; }

}  // namespace assay
