// A reference at work, in a confined process of its own: problems go there through shared memory, and what is
// right comes back.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assay/problem.hpp"
#include "harness/metal/module/module.hpp"
#include "harness/process/child.hpp"
#include "harness/process/shared_memory.hpp"
#include "harness/verify/stated_operation.hpp"

namespace assay::oracle {

/// The reference ended, ran too long or broke a rule of its own: nothing is known of the kernel.
class ReferenceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ReferenceProcess {
 public:
  /// Loads what compile_reference() gave and starts the process, which may compute `limit_s` of processor
  /// time for one problem. To be called in a process that is not confined.
  ReferenceProcess(std::shared_ptr<const StatedOperation> stated, std::string object, double limit_s);

  ~ReferenceProcess();

  /// What is right for each output, in the order of the problem's. Throws ReferenceFailure.
  std::vector<Expectation> solve(const Problem& problem);
  /// Lets the reference's fill() change inputs that were drawn. Throws ReferenceFailure.
  void fill(const std::string& regime, std::uint64_t seed, Problem& problem);

 private:
  struct Memory;
  struct Asked;

  Memory& memory() const;
  void ask(const Problem& problem, const std::string& regime, std::uint64_t seed, bool fills);
  /// The sizes of the problem that is worked on, and what to do where they are too much.
  std::string sizes_asked() const;
  void serve() const;
  void guard(double limit_s) const;
  [[noreturn]] void fail(const std::string& what) const;

  std::shared_ptr<const StatedOperation> stated_;
  std::unique_ptr<metal::KernelModule> module_;
  process::SharedMemory shared_;
  std::mutex one_at_a_time_;
  /// Of the last problem. The other process can write to all that is shared: nothing there says where to
  /// read.
  std::unique_ptr<Asked> asked_;
  std::optional<process::Child> guardian_;
};

}  // namespace assay::oracle
