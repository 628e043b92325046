#include "harness/draft/drafting.hpp"

#include <sys/resource.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "harness/draft/doubt.hpp"
#include "harness/draft/refuse.hpp"
#include "harness/draft/settle.hpp"
#include "harness/verify/manifest_arguments.hpp"
#include "harness/verify/manifest_operation.hpp"
#include "harness/verify/shown.hpp"

namespace assay::draft {
namespace {

/// Letters, digits and `_`, as the names of kernels, tensors and dimensions are.
std::string plain_name(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) == 0 && c != '_' && c != '-' && c != '.') c = '_';
  }
  return name.empty() ? "kernel" : name.substr(0, 200);
}

}  // namespace

double processor_s() {
  double all_s = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& one : {used.ru_utime, used.ru_stime})
      all_s += static_cast<double>(one.tv_sec) + 1e-6 * static_cast<double>(one.tv_usec);
  }
  return all_s;
}

Draft Drafting::draft() {
  begun_s_ = processor_s();
  draft_.source = told_.source;
  draft_.resident_threadgroups = told_.resident_threadgroups.value_or(1);
  draft_.kernel = read_kernel(told_.source);
  draft_.name = plain_name(told_.source.function);
  if (guess_constants()) draft_.kernel = read_kernel(draft_.source);
  say("compiling");
  compiled_ = compile_kernel(draft_.source);
  if (compiled_.indices == 0 && compiled_.textures.empty())
    throw std::invalid_argument(told_.source.function +
                                " has no buffers and no textures, so there is nothing to check");
  if (compiled_.indices > 31)
    throw std::invalid_argument(told_.source.function + " has more than 31 buffers");
  threads();
  arguments();
  textures();
  tell_dimensions();
  find_strides();
  try_threads();
  threadgroup_memory();
  sizes();
  untold();
  refuse_unused(told_, draft_, known_names_, used_scalars_);
  refuse_dimensions_of_buffers(draft_);
  return std::move(draft_);
}

void Drafting::sizes() {
  request_.source = draft_.source;
  request_.threads = draft_.threads;
  request_.resident_threadgroups = draft_.resident_threadgroups;
  request_.in_threads = draft_.in_threads;
  request_.tiles = draft_.kernel.tiles;
  request_.axes = axes_of_grid();
  request_.any_grid = draft_.kernel.used_axes_of("threads_per_grid") > 0 ||
                      draft_.kernel.used_axes_of("threadgroups_per_grid") > 0;
  for (const auto& side : given_grid()) request_.grid.emplace_back(side);
  if (given_grid().empty()) spare();
  std::string why;
  auto measured = measured_with_any_threads(why);
  if (measured && measured->cut_short) {  // launches take long: on smaller sizes, if the kernel takes them
    small_ = true;
    std::string again;
    if (auto smaller = measured_with_any_threads(again); smaller && !smaller->cut_short) measured = smaller;
  }
  if (measured) {
    if (!measured->sizes.empty()) guess_measured(*measured);
  } else {
    question(fmt::format("Assay could not measure the sizes ({}): fill in shapes and grid", shown(why)));
    doubt(draft_, Doubt::Of::unknown_sizes, "",
          fmt::format("Assay could not measure the kernel ({}): say its sizes with --buffer "
                      "NAME=TYPE[SIZES] and --grid",
                      shown(why, 200)));
  }
  settle_grid(measured);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!request_.arguments[i].buffer) continue;
    const Parameter& one = *parameters_[i];
    draft_.buffers.push_back(settled_buffer(one, request_.arguments[i].type, told_of(told_.buffers, one.name),
                                            measured ? &measured->buffers[i] : nullptr, draft_));
    if (i >= compiled_.indices) draft_.buffers.back().path = one.written;
  }
  for (const auto& texture : draft_.textures) {
    draft_.buffers.push_back(settled_texture(texture, told_of(told_.textures, texture.tensor),
                                             measured ? &measured->textures[texture.index] : nullptr,
                                             draft_));
  }
  keep_squares_small();
  keep_launches_small();
  give_an_output();
  if (draft_.dimensions.empty()) draft_.dimensions.push_back({"unused", {{}, {}, {}, {1}}, 0});
}

void Drafting::guess_measured(const Measured& measured) {
  const auto line =
      fmt::format("shapes and grid come from what the kernel touched when it ran at {}", measured.sizes);
  if (!measured.cut_short) return guess(line);
  doubt(draft_, Doubt::Of::unknown_sizes, "",
        line +
            "; there was no time to try all sizes: say the shapes with --buffer NAME=TYPE[SIZES] and the "
            "grid with --grid");
}

void Drafting::give_an_output() {
  const auto written = std::any_of(draft_.buffers.begin(), draft_.buffers.end(),
                                   [](const auto& one) { return one.access != "in"; });
  if (written) return;
  for (auto& buffer : draft_.buffers) {
    if (buffer.texture) continue;
    const Parameter* parameter = find_parameter(buffer.name);
    if (parameter == nullptr || !parameter->writable || told_.buffers.contains(buffer.name)) continue;
    buffer.access = "inout";
    return;
  }
  throw std::invalid_argument(told_.source.function +
                              " has no buffer or texture that it may write to, so there is nothing to check");
}

const Parameter* Drafting::find_parameter(const std::string& name) const {
  for (const Parameter& one : pointed_) {
    if (one.name == name) return &one;
  }
  return draft_.kernel.find(name);
}

ToldBuffer Drafting::told_of(const std::map<std::string, ToldBuffer>& all, const std::string& name) {
  const auto found = all.find(name);
  return found == all.end() ? ToldBuffer{} : found->second;
}

std::vector<std::string> Drafting::names_in(const std::string& text) { return Expression(text).names(); }

const DraftBuffer* Draft::find(const std::string& buffer) const {
  const auto found =
      std::find_if(buffers.begin(), buffers.end(), [&](const auto& one) { return one.name == buffer; });
  return found == buffers.end() ? nullptr : &*found;
}

Draft draft_kernel(const Told& told, const DraftProgress& progress) {
  return Drafting(told, progress).draft();
}

}  // namespace assay::draft
