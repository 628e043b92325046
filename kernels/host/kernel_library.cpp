#include "kernels/host/kernel_library.hpp"

#include <fmt/format.h>

#include <utility>

namespace assay::host {
namespace {

std::string describe(std::string_view kernel, const device::LaunchReport& report) {
  if (report.clean()) return fmt::format("{}: no fault", kernel);
  const device::Fault& first = report.faults.front();
  std::string text = fmt::format("{}: {}", kernel, first.message);
  if (!first.place.file.empty()) text += fmt::format(" at {}:{}", first.place.file, first.place.line);
  if (report.faults.size() > 1) text += fmt::format(", and {} more", report.faults.size() - 1);
  return text;
}

}  // namespace

LaunchError::LaunchError(std::string_view kernel, device::LaunchReport report)
    : std::runtime_error(describe(kernel, report)), report_(std::move(report)) {}

device::KernelId KernelLibrary::load(const KernelDescription& kernel) {
  const auto found = loaded_.find(kernel.name);
  if (found != loaded_.end()) return found->second;
  const device::KernelId id = device_.load(source_of(kernel, folder_));
  loaded_.emplace(kernel.name, id);
  return id;
}

void KernelLibrary::launch(const KernelDescription& kernel, std::vector<device::Argument> arguments,
                           device::Size3 grid) {
  device::Dispatch dispatch;
  dispatch.kernel = load(kernel);
  dispatch.arguments = std::move(arguments);
  dispatch.grid = grid;
  dispatch.threads_per_threadgroup = {kernel.threads_per_threadgroup, 1, 1};
  device::LaunchReport report = device_.dispatch(dispatch);
  if (!report.clean()) throw LaunchError(kernel.name, std::move(report));
}

}  // namespace assay::host
