// Launching a kernel once, on a problem of one's choice.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assay/device/registry.hpp"
#include "assay/kernel.hpp"
#include "assay/mode.hpp"
#include "assay/problem.hpp"
#include "assay/tensor.hpp"

namespace assay {

/// The kernel did not come to an end as a kernel should: it crashed, hung, raced or touched memory that is
/// not its own. what() says which, and where.
class LaunchFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a launch left in its outputs.
class Outputs {
 public:
  explicit Outputs(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {}

  /// The output of that name. Throws std::invalid_argument that lists the names there are.
  const Tensor& operator[](std::string_view name) const;
  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  std::vector<Tensor> tensors_;
};

struct LaunchOptions {
  Mode mode = Mode::fast;
  double timeout_s = 60;
  /// In a process of its own, confined: what the kernel does there is a LaunchFailure. Else in this one,
  /// where a kernel that crashes takes the program down.
  bool isolated = true;
  std::string device = std::string(device::kDefaultDevice);
};

/// Runs `problem` on the kernel. Throws LaunchFailure; std::runtime_error with the compiler's reasons where
/// the kernel cannot be loaded.
Outputs launch(const Kernel& kernel, const Problem& problem, const LaunchOptions& options = {});

}  // namespace assay
