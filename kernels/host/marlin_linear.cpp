#include "kernels/host/marlin_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "kernels/host/arguments.hpp"
#include "reference/shape.hpp"

namespace assay::host {
namespace {

// A thread clears this many elements at least, so that the launch is not all threads.
constexpr std::size_t kClearedByThread = 8;

const PackedWeights& checked(const PackedWeights& weights) {
  check(weights);
  return weights;
}

std::size_t counters_bytes(const GemmProblem& problem) {
  return sizeof(std::uint32_t) * striped_tiles(problem);
}

}  // namespace

MarlinLinear::MarlinLinear(KernelLibrary& kernels, const PackedWeights& weights, LinearOptions options)
    : kernels_(kernels),
      format_(checked(weights).format),
      K_(weights.K),
      N_(weights.N),
      group_size_(weights.group_size),
      options_(options),
      words_(uploaded<std::uint32_t>(kernels.device(), weights.words)),
      scales_(uploaded<std::uint16_t>(kernels.device(), weights.scales)) {
  if (format_ != WeightFormat::fp4) zeros_ = uploaded<std::uint16_t>(kernels.device(), weights.zeros);
}

KernelChoice MarlinLinear::choice_for(std::size_t M) const {
  const GemmProblem problem = problem_of(M);
  const device::Limits limits = kernels_.device().limits();
  if (!options_.choice) return choose_kernel(problem, limits, options_.cores);
  check(*options_.choice, problem, limits);
  return *options_.choice;
}

std::vector<std::uint16_t> MarlinLinear::operator()(std::size_t M, std::span<const std::uint16_t> A) {
  choice_for(M);
  reference::check_elements("A", A.size(), M, K_, "M x K");
  device::Device& device = kernels_.device();
  const device::Buffer a = uploaded(device, A);
  const device::Buffer c(device, sizeof(std::uint16_t) * M * N_);
  run(M, a.whole(), c.whole());
  std::vector<std::uint16_t> C(M * N_);
  device.download(c.id(), 0, std::as_writable_bytes(std::span(C)));
  return C;
}

void MarlinLinear::run(std::size_t M, const device::BufferSlice& A, const device::BufferSlice& C) {
  const GemmProblem problem = problem_of(M);
  const KernelChoice choice = choice_for(M);
  check_slice("A", A, M, K_);
  check_slice("C", C, M, N_);
  const KernelDescription& kernel = *find_kernel(format_, choice.role);
  if (choice.role != KernelRole::striped) {
    kernels_.launch(kernel, bind(kernel, problem, choice.slices, A, C, nullptr), grid_of(choice, problem));
    return;
  }
  // Out of the layer's hands until the launch has left it zero: an error lets go of it.
  Reduction reduction = take_reduction(problem, choice.slices);
  kernels_.launch(kernel, bind(kernel, problem, choice.slices, A, C, &reduction), grid_of(choice, problem));
  reduction_ = std::move(reduction);
}

MarlinLinear::Reduction MarlinLinear::take_reduction(const GemmProblem& problem, std::uint32_t slices) {
  Reduction reduction = std::exchange(reduction_, {});  // a moved buffer would look as large as ever
  const bool partials_grow = grow(reduction.partials, partials_bytes(problem, slices));
  const bool counters_grow = grow(reduction.counters, counters_bytes(problem));
  if (!partials_grow && !counters_grow) return reduction;
  // What is new has just the size that is cleared; what is not was zero already.
  const KernelDescription& zero = zero_reduction_kernel();
  const std::size_t elements =
      std::max(partials_bytes(problem, slices), counters_bytes(problem)) / sizeof(float);
  const std::size_t threadgroups =
      reference::ceil_div(elements, kClearedByThread * zero.threads_per_threadgroup);
  kernels_.launch(zero, bind(zero, problem, slices, {}, {}, &reduction),
                  {static_cast<std::uint32_t>(threadgroups), 1, 1});
  return reduction;
}

bool MarlinLinear::grow(std::optional<device::Buffer>& buffer, std::size_t size_bytes) {
  if (buffer && buffer->size_bytes() >= size_bytes) return false;
  buffer.emplace(kernels_.device(), size_bytes);  // releases the old one first
  return true;
}

std::vector<device::Argument> MarlinLinear::bind(const KernelDescription& kernel, const GemmProblem& problem,
                                                 std::uint32_t slices, const device::BufferSlice& A,
                                                 const device::BufferSlice& C,
                                                 const Reduction* reduction) const {
  const auto value = [&](KernelArgument argument) -> device::Argument {
    switch (argument) {
      case KernelArgument::A:
        return A;
      case KernelArgument::B:
        return words_.whole();
      case KernelArgument::scales:
        return scales_.whole();
      case KernelArgument::zeros:
        return zeros_.value().whole();
      case KernelArgument::C:
        return C;
      // The buffers may be larger, from an earlier launch; the kernel touches what it needs and no more.
      case KernelArgument::partials:
        return device::BufferSlice{reduction->partials->id(), 0, partials_bytes(problem, slices)};
      case KernelArgument::counters:
        return device::BufferSlice{reduction->counters->id(), 0, counters_bytes(problem)};
      case KernelArgument::M:
        return uint_bytes(problem.M);
      case KernelArgument::N:
        return uint_bytes(problem.N);
      case KernelArgument::K:
        return uint_bytes(problem.K);
      case KernelArgument::group_size:
        return uint_bytes(problem.group_size);
      case KernelArgument::parallel:
        return uint_bytes(slices);
      case KernelArgument::packed_indices:
      case KernelArgument::grid:
      case KernelArgument::su:
      case KernelArgument::sv:
      case KernelArgument::bits:
      case KernelArgument::n_levels:
        break;  // of trellis weights
    }
    throw std::logic_error("no such kernel argument");
  };
  std::vector<device::Argument> arguments;
  for (const KernelArgument argument : kernel.arguments) arguments.push_back(value(argument));
  return arguments;
}

std::vector<std::uint16_t> quantized_linear(KernelLibrary& kernels, const PackedWeights& weights,
                                            std::size_t M, std::span<const std::uint16_t> A,
                                            LinearOptions options) {
  return MarlinLinear(kernels, weights, options)(M, A);
}

}  // namespace assay::host
