#include "kernels/host/trellis_experts.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "kernels/host/arguments.hpp"
#include "reference/shape.hpp"
#include "reference/trellis_checks.hpp"

namespace assay::host {
namespace {

using Experts = std::span<const reference::TrellisWeights>;

std::array<std::pair<std::string_view, Experts>, 3> parts_of(const TrellisExpertWeights& weights) {
  return {{{"gate", weights.gate}, {"up", weights.up}, {"down", weights.down}}};
}

[[noreturn]] void refuse(std::size_t expert, std::string_view part, const std::string& what) {
  throw std::invalid_argument(fmt::format("expert {}: {}: {}", expert, part, what));
}

// Gives the first gate, by which all others are.
const reference::TrellisWeights& checked(const TrellisExpertWeights& weights) {
  if (weights.gate.empty()) throw std::invalid_argument("gate: there is no expert");
  for (const auto& [part, experts] : parts_of(weights)) {
    if (experts.size() != weights.gate.size()) {
      throw std::invalid_argument(
          fmt::format("{}: has {} experts, gate has {}", part, experts.size(), weights.gate.size()));
    }
  }
  const reference::TrellisWeights& first = weights.gate.front();
  const std::size_t N = weights.down.front().N;
  for (const auto& [part, experts] : parts_of(weights)) {
    const bool is_down = part == "down";
    const std::size_t rows = is_down ? first.N : first.K, columns = is_down ? N : first.N;
    for (std::size_t e = 0; e < experts.size(); ++e) {
      const reference::TrellisWeights& one = experts[e];
      try {
        reference::check_trellis(one);
      } catch (const std::invalid_argument& wrong) {
        refuse(e, part, wrong.what());
      }
      if (one.K != rows || one.N != columns)
        refuse(e, part, fmt::format("is {} x {}, not {} x {}", one.K, one.N, rows, columns));
      if (one.bits != first.bits) refuse(e, part, fmt::format("bits: {}, not {}", one.bits, first.bits));
      if (one.group_size != first.group_size)
        refuse(e, part, fmt::format("group_size: {}, not {}", one.group_size, first.group_size));
      if (one.grid.size() != first.grid.size())
        refuse(e, part, fmt::format("grid: has {} levels, not {}", one.grid.size(), first.grid.size()));
    }
    check_dimension(is_down ? "N" : "intermediate", columns);
    check_dimension(is_down ? "intermediate" : "K", rows);
    check_indices(part, experts.size(), experts.front().packed_indices.size());
    check_indices(part, experts.size(), experts.front().scales.size());
  }
  return first;
}

std::vector<std::string> warnings_of(const TrellisExpertWeights& weights) {
  std::vector<std::string> all;
  for (const auto& [part, experts] : parts_of(weights)) {
    for (std::size_t e = 0; e < experts.size(); ++e) {
      for (const auto& warning : reference::trellis_warnings(experts[e]))
        all.push_back(fmt::format("expert {}: {}: {}", e, part, warning));
    }
  }
  return all;
}

template <class T>
device::Buffer stacked_field(device::Device& device, Experts experts,
                             std::span<const T> reference::TrellisWeights::*field) {
  std::vector<T> all;
  for (const auto& one : experts) all.insert(all.end(), (one.*field).begin(), (one.*field).end());
  return uploaded(device, std::span<const T>(all));
}

}  // namespace

const KernelDescription& trellis_experts_kernel() {
  static const KernelDescription kernel = {.name = "gemm_trellis_moe",
                                           .arguments = {},  // TrellisExperts binds them
                                           .tile_m = 16,
                                           .tile_n = 64,
                                           .threadgroup_bytes = 5120,
                                           .threads_per_threadgroup = 128,
                                           .tile_k = 32,
                                           .function = "gemm_trellis_moe",
                                           .defines = {}};
  return kernel;
}

TrellisExperts::TrellisExperts(KernelLibrary& kernels, const TrellisExpertWeights& weights)
    : kernels_(kernels),
      experts_(weights.gate.size()),
      K_(checked(weights).K),
      intermediate_(weights.gate.front().N),
      N_(weights.down.front().N),
      group_size_(weights.gate.front().group_size),
      n_levels_(weights.gate.front().grid.size()),
      bits_(weights.gate.front().bits),
      warnings_(warnings_of(weights)),
      gate_(stacked(kernels.device(), weights.gate)),
      up_(stacked(kernels.device(), weights.up)),
      down_(stacked(kernels.device(), weights.down)) {}

TrellisExperts::Stacked TrellisExperts::stacked(device::Device& device, Experts experts) {
  using reference::TrellisWeights;
  return {stacked_field(device, experts, &TrellisWeights::packed_indices),
          stacked_field(device, experts, &TrellisWeights::scales),
          stacked_field(device, experts, &TrellisWeights::grid),
          stacked_field(device, experts, &TrellisWeights::su),
          stacked_field(device, experts, &TrellisWeights::sv)};
}

void TrellisExperts::bind(const Stacked& weights, std::vector<device::Argument>& arguments) {
  for (const auto* one : {&weights.packed_indices, &weights.scales, &weights.grid, &weights.su, &weights.sv})
    arguments.emplace_back(one->whole());
}

// Gives top_k. An expert counts NaN times nothing where a probability is not finite: that is for the host to
// keep away.
std::size_t TrellisExperts::check(std::size_t M, std::span<const std::uint16_t> x,
                                  const ExpertRouting& routing) const {
  check_dimension("M", M);
  reference::check_elements("x", x.size(), M, K_, "M x K");
  check_indices("x", M, K_);
  check_indices("out", M, N_);
  const std::size_t slots = routing.expert_ids.size(), top_k = slots / M;
  if (top_k == 0 || slots % M != 0) {
    throw std::invalid_argument(
        fmt::format("expert_ids: has {} elements, not a multiple of M = {} above 0", slots, M));
  }
  reference::check_elements("expert_probs", routing.expert_probs.size(), M, top_k, "M x top_k");
  check_indices("expert_ids", M, top_k);
  for (std::size_t i = 0; i < slots; ++i) {
    if (routing.expert_ids[i] >= experts_ || std::isfinite(routing.expert_probs[i])) continue;
    throw std::invalid_argument(fmt::format("expert_probs: token {}, slot {} is {}, not finite", i / top_k,
                                            i % top_k, routing.expert_probs[i]));
  }
  check_device(trellis_experts_kernel(), kernels_.device().limits());
  return top_k;
}

std::vector<std::uint16_t> TrellisExperts::operator()(std::size_t M, std::span<const std::uint16_t> x,
                                                      const ExpertRouting& routing) {
  const std::size_t top_k = check(M, x, routing);
  device::Device& device = kernels_.device();
  const device::Buffer tokens = uploaded(device, x), ids = uploaded(device, routing.expert_ids),
                       probs = uploaded(device, routing.expert_probs),
                       out(device, sizeof(std::uint16_t) * M * N_);
  std::vector<device::Argument> arguments = {tokens.whole(), ids.whole(), probs.whole()};
  for (const Stacked* weights : {&gate_, &up_, &down_}) bind(*weights, arguments);
  arguments.emplace_back(out.whole());
  // struct MoeParams of include/moe.h.
  device::InlineBytes sizes;
  for (const std::size_t size :
       {M, K_, N_, experts_, top_k, std::size_t{bits_}, group_size_, n_levels_, intermediate_}) {
    const auto bytes = uint_bytes(size).bytes;
    sizes.bytes.insert(sizes.bytes.end(), bytes.begin(), bytes.end());
  }
  arguments.emplace_back(std::move(sizes));
  const KernelDescription& kernel = trellis_experts_kernel();
  kernels_.launch(kernel, std::move(arguments),
                  {static_cast<std::uint32_t>(reference::ceil_div(N_, kernel.tile_n)),
                   static_cast<std::uint32_t>(reference::ceil_div(M, kernel.tile_m)), 1});
  std::vector<std::uint16_t> result(M * N_);
  device.download(out.id(), 0, std::as_writable_bytes(std::span(result)));
  return result;
}

}  // namespace assay::host
