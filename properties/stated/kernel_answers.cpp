// Answers that are another kernel's: `reference = { kernel = "naive", ulps = 2 }`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "assay/device/registry.hpp"
#include "harness/remote/remote_device.hpp"
#include "harness/verify/compare.hpp"
#include "harness/verify/run_problem.hpp"
#include "properties/cases/operation.hpp"
#include "properties/cases/semantics.hpp"
#include "properties/stated/answers.hpp"

namespace assay::properties {
namespace {

/// What one unit in the last place of a value is; 1 of whole numbers.
double ulp_of(DType dtype, double value) {
  struct Format {
    int bits, least_exponent;
  };
  const Format format = dtype == DType::f16    ? Format{11, -14}
                        : dtype == DType::bf16 ? Format{8, -126}
                        : dtype == DType::f32  ? Format{24, -126}
                                               : Format{0, 0};
  if (format.bits == 0 || !std::isfinite(value)) return 1;
  const int exponent =
      value == 0 ? format.least_exponent : std::max(std::ilogb(value), format.least_exponent);
  return std::ldexp(1.0, exponent - format.bits + 1);
}

class KernelAnswers final : public Answers {
 public:
  KernelAnswers(const KernelEntry& kernel, double ulps) : kernel_(kernel), ulps_(ulps) {}

  void prepare(const Arithmetic&) override {
    if (device_) return;
    auto device = remote::make_remote(device::kDefaultDevice, {});
    id_ = device->load(kernel_.kernel_source());
    device_ = std::move(device);
  }

  std::vector<Expectation> expect(const Problem& problem, const Arithmetic& arithmetic) override {
    prepare(arithmetic);
    const RunResult ran = assay::run_problem(*device_, id_, kernel_, problem);
    if (!ran.report.faults.empty())
      throw std::runtime_error(
          fmt::format("the reference, kernel {}: {}", kernel_.name, ran.report.faults.front().message));
    std::vector<Expectation> expected;
    for (const Tensor& output : ran.outputs) expected.push_back(around(output));
    return expected;
  }

  void fill(const Case&, Problem&) override {}

 private:
  Expectation around(const Tensor& output) const {
    Expectation right;
    right.tensor = output.name;
    right.signed_zero = ulps_ == 0;
    right.bound = ulps_ == 0
                      ? fmt::format("the bits of kernel {}", kernel_.name)
                      : fmt::format("within {} units in the last place of kernel {}", ulps_, kernel_.name);
    for (std::size_t i = 0; i < output.element_count(); ++i) {
      const double value = assay::decode(output, i);
      const double width = ulps_ * ulp_of(output.dtype, value);
      right.value.push_back(value);
      right.low.push_back(width == 0 || !std::isfinite(value) ? value : value - width);
      right.high.push_back(width == 0 || !std::isfinite(value) ? value : value + width);
    }
    return right;
  }

  KernelEntry kernel_;
  double ulps_;
  std::unique_ptr<device::Device> device_;
  device::KernelId id_{};
};

}  // namespace

std::unique_ptr<Answers> answers_of_kernel(const KernelEntry& kernel, double ulps) {
  return std::make_unique<KernelAnswers>(kernel, ulps);
}

}  // namespace assay::properties
