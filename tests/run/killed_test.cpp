// What the machine does to the process that runs a kernel is no verdict on that kernel.
#include <gmock/gmock.h>
#include <signal.h>

#include "assay/device/decorator.hpp"
#include "assay/device/registry.hpp"
#include "harness/run/manifests.hpp"
#include "harness/run/mode_job.hpp"

namespace assay::run {
namespace {

// As where memory runs out: each launch is killed.
class Killed final : public device::DeviceDecorator {
 public:
  explicit Killed(std::unique_ptr<device::Device> inner)
      : DeviceDecorator(*inner), inner_(std::move(inner)) {}
  device::LaunchReport dispatch(const device::Dispatch& launch) override {
    raise(SIGKILL);
    return DeviceDecorator::dispatch(launch);
  }

 private:
  std::unique_ptr<device::Device> inner_;
};

const device::RegisterDevice kKilled("killed", "the simulated GPU, on a machine that kills each launch",
                                     [](const device::DeviceOptions& options) {
                                       return std::make_unique<Killed>(
                                           device::make_device(device::kDefaultDevice, options));
                                     });

TEST(Killed, AProcessThatSomebodyKillsTwiceIsAnErrorAndNoRejection) {
  const auto entries = load_manifest(std::nullopt);
  const auto* entry = choose(entries, {"dequant_fp4"}).front();
  VerifyOptions options;
  options.device = "killed";
  options.cases = 1;
  ModeReport seen;
  process::run_job(
      mode_job(*entry, Mode::fast, options, {.ended = [&](const ModeReport& report) { seen = report; }}));
  EXPECT_EQ(seen.verdict, Verdict::error);
  EXPECT_THAT(seen.summary, testing::HasSubstr("somebody killed the process that ran the kernel, twice"));
}

}  // namespace
}  // namespace assay::run
