// Verifying a kernel: what `assay verify` does, as a function.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "assay/default_cases.hpp"
#include "assay/device/registry.hpp"
#include "assay/kernel.hpp"
#include "assay/mode.hpp"
#include "assay/verdict.hpp"

namespace testing {
class AssertionResult;
}

namespace assay {

/// What the options of `assay verify` say (docs/commands.md, "Verify"), with the same meaning.
struct VerifyOptions {
  std::uint64_t cases = run::kDefaultCases;  ///< in each mode
  std::optional<Mode> mode = {};             ///< that alone; nothing: fast and checked, and `numerics`
  std::uint64_t seed = 1;                    ///< equal seeds draw equal cases, on every machine
  double timeout_s = 60;                     ///< for one case
  unsigned jobs = 2;                         ///< processes at a time
  std::string device = std::string(device::kDefaultDevice);  ///< a registered device (device.hpp)
  /// "strict", "contracted", "reassociated", "approximate", "relaxed", "flushed"; "all": the first four.
  /// Nothing: "all", or that of `mode`.
  std::string numerics = {};
  bool flush_subnormals = false;     ///< also with subnormals flushed to zero
  std::vector<std::string> at = {};  ///< these shapes in place of drawn cases: "M=1,N=4096,K=4096"
  std::string shapes = {};     ///< the layers of models in place of drawn cases: "llm", or a model's name
  std::string golden = {};     ///< a folder of golden files in place of drawn cases
  std::uint64_t budget = 1;    ///< of large cases: so many times more threadgroups
  std::string schedules = {};  ///< all orders of threadgroups in place of cases: "all", or for "90s"
  bool exhaustive = false;     ///< every code, scale, zero point and packed word of 4-bit weights
  bool laws = false;           ///< every law on every case, without the reference
  bool coverage = false;       ///< in full, in ModeResult::branches
  /// Files to write: JSON, JUnit, and a folder for a page. Nothing: none.
  std::string json = {}, junit = {}, page = {};
};

/// What one mode said of a kernel.
struct ModeResult {
  Mode mode = Mode::fast;
  Verdict verdict = Verdict::error;
  std::string summary;  ///< one line; empty for a pass
  std::string report;   ///< the failure in full; empty for a pass
  std::string replay;   ///< what assay::replay() and `assay replay` take; empty for a pass
  std::uint64_t cases = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> coverage = {};  ///< what the cases reached, and how many of them
  std::string branches =
      {};  ///< pairs of sizes and branches of the text, for people, where they were asked for
};

/// What was found of a kernel. True only where it passed in every mode: a kernel of which nothing could be
/// judged (vacuous, unsupported, error) did not.
class Verification {
 public:
  Verification(std::string kernel, std::vector<ModeResult> modes, std::size_t decisive)
      : kernel_(std::move(kernel)), modes_(std::move(modes)), decisive_(decisive) {}

  bool passed() const { return verdict() == Verdict::pass; }
  explicit operator bool() const { return passed(); }

  /// Of the mode that says most: a fault of memory or order is the cause of a wrong result.
  Verdict verdict() const { return decisive().verdict; }
  const ModeResult& decisive() const { return modes_.at(decisive_); }
  const std::vector<ModeResult>& modes() const { return modes_; }
  const std::string& kernel() const { return kernel_; }

  /// A line a mode, and the report of the decisive one. What others wrote in it is escaped: it may be shown.
  std::string text() const;

  /// For EXPECT_TRUE(verify(...)), which then prints text().
  template <class Assertion, class = std::enable_if_t<std::is_same_v<Assertion, testing::AssertionResult>>>
  operator Assertion() const {
    return Assertion(passed()) << text();
  }

 private:
  std::string kernel_;
  std::vector<ModeResult> modes_;
  std::size_t decisive_;
};

std::ostream& operator<<(std::ostream& out, const Verification& verification);

/// Runs the kernel over generated cases, in processes of their own, and holds it against the reference. What
/// the kernel does (a race, a crash, a hang, text that is no Metal) is a verdict. Throws
/// std::invalid_argument for an unknown device or operation, and for options that go together with no run,
/// which it names as the program does.
Verification verify(const Kernel& kernel, const VerifyOptions& options = {});

/// One case again: `line` is ModeResult::replay, or the case alone ("operation=gemm_fp4 M=1 ... seed=7"),
/// which runs in `options.mode` (fast where it says nothing). Throws std::invalid_argument that names the
/// key.
Verification replay(const Kernel& kernel, std::string_view line, const VerifyOptions& options = {});

}  // namespace assay
