#include "properties/large/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

#include "properties/cases/axes.hpp"
#include "properties/cases/draw.hpp"

namespace assay::properties {
namespace {

std::size_t count_of(const std::vector<std::size_t>& shape) {
  std::size_t count = 1;
  for (const std::size_t side : shape) count *= side;
  return count;
}

/// Calls `tag` with each width that a tensor goes past: the first element beyond it, and its name.
template <class Tag>
void each_width(const std::string& tensor, std::size_t elements, std::size_t element_bytes, const Tag& tag) {
  for (const std::size_t bits : kWidthBits) {
    const std::size_t width = std::size_t{1} << bits;
    const bool wide = bits >= 31;
    if (!(wide && element_bytes == 1) && elements > width)
      tag(width, fmt::format("offset of {} past 2^{}", tensor, bits));
    const std::size_t element = width / element_bytes;
    if ((element_bytes > 1 || wide) && elements > element)
      tag(element, fmt::format("byte of {} past 2^{}", tensor, bits));
  }
}

class Sampler {
 public:
  Sampler(const Operation& operation, const Problem& problem, const Share& share, std::size_t most,
          std::size_t anywhere)
      : operation_(operation),
        problem_(problem),
        share_(share),
        most_(most),
        anywhere_(anywhere),
        draw_(problem.schedule, "sample") {}

  std::vector<device::Size3> run() {
    const device::Size3& grid = share_.threadgroups();
    if (std::uint64_t{grid.x} * grid.y * grid.z <= most_) return everything();
    corners();
    for (auto bits = std::rbegin(kWidthBits); bits != std::rend(kWidthBits); ++bits)
      tensors(std::size_t{1} << *bits);
    numbers();
    const device::Size3& all = share_.threadgroups();
    for (std::size_t i = 0; i < anywhere_; ++i) {
      const Words words = draw_.words(drawn_++);
      add({below(all.x, words[0]), below(all.y, words[1]), below(all.z, words[2])});
    }
    return std::move(found_);
  }

 private:
  void add(const device::Size3& at) {
    if (found_.size() < most_ && known_.insert({at.x, at.y, at.z}).second) found_.push_back(at);
  }

  std::vector<device::Size3> everything() {
    const device::Size3& all = share_.threadgroups();
    for (std::uint32_t z = 0; z < all.z; ++z) {
      for (std::uint32_t y = 0; y < all.y; ++y) {
        for (std::uint32_t x = 0; x < all.x; ++x) add({x, y, z});
      }
    }
    return std::move(found_);
  }

  void corners() {
    const device::Size3& all = share_.threadgroups();
    for (const std::uint32_t z : {all.z - 1, 0u}) {  // the last first: it is all that there is of some
      for (const std::uint32_t y : {all.y - 1, 0u}) {
        for (const std::uint32_t x : {all.x - 1, 0u}) add({x, y, z});
      }
    }
  }

  // Threadgroups that need the elements on both sides of a width; along dimensions that these do not lie on,
  // anywhere.
  void tensors(std::size_t width) {
    for (const TensorSpec& spec : operation_.declaration().tensors) {
      const auto shape = spec.axes(problem_.dims);
      const std::size_t elements = count_of(shape), bytes = assay::size_of(spec.dtype);
      for (const std::size_t first : {width, width / bytes}) {
        if (first == 0 || elements <= first) continue;
        for (const std::size_t place : {first - 1, first, elements - 1})
          add(needing(spec, shape, element_at(spec, place)));
      }
    }
  }

  /// What lies at a place of the kernel's buffer.
  std::size_t element_at(const TensorSpec& spec, std::size_t place) const {
    if (spec.role != Role::input) return place;
    const Tensor& tensor = input(problem_, spec.name);
    return tensor.order ? tensor.order->element_at(tensor.shape, place) : place;
  }

  device::Size3 needing(const TensorSpec& spec, const std::vector<std::size_t>& shape, std::size_t element) {
    std::map<std::string, std::size_t> indices;
    for (const Dimension& one : operation_.declaration().dimensions) {
      if (one.is_choice()) continue;
      const Axis& axis = axis_of_known(spec, one.name);
      const std::size_t along = extent(problem_.dims, one.name);
      indices[one.name] = axis.kind == Axis::Kind::along ? index_along(element, axis.axis, shape) * axis.block
                                                         : draw_.words(drawn_++)[0] % along;
    }
    return share_.storing(indices);
  }

  const Axis& axis_of_known(const TensorSpec& spec, const std::string& dimension) {
    const auto key = std::pair(spec.name, dimension);
    const auto found = axes_.find(key);
    if (found != axes_.end()) return found->second;
    return axes_.emplace(key, axis_of(spec, problem_.dims, dimension)).first->second;
  }

  void numbers() {
    const device::Size3& all = share_.threadgroups();
    const std::uint64_t count = std::uint64_t{all.x} * all.y * all.z;
    for (const std::size_t bits : kWidthBits) {
      for (const std::uint64_t number : {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits}) {
        if (count <= std::uint64_t{1} << bits) continue;
        add({static_cast<std::uint32_t>(number % all.x), static_cast<std::uint32_t>(number / all.x % all.y),
             static_cast<std::uint32_t>(number / all.x / all.y)});
      }
    }
  }

  const Operation& operation_;
  const Problem& problem_;
  const Share& share_;
  std::size_t most_, anywhere_;
  Draw draw_;
  std::uint64_t drawn_ = 0;
  std::vector<device::Size3> found_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> known_;
  std::map<std::pair<std::string, std::string>, Axis> axes_;
};

}  // namespace

std::vector<device::Size3> sample_of(const Operation& operation, const Problem& problem, const Share& share,
                                     std::size_t most, std::size_t anywhere) {
  return Sampler(operation, problem, share, most, anywhere).run();
}

std::vector<std::string> width_tags(const std::string& tensor, std::size_t elements,
                                    std::size_t element_bytes) {
  std::vector<std::string> tags;
  each_width(tensor, elements, element_bytes,
             [&](std::size_t, const std::string& tag) { tags.push_back(tag); });
  return tags;
}

void cover_widths(const Problem& problem, Coverage& coverage) {
  const auto cover = [&](const std::string& name, std::size_t elements, DType dtype) {
    for (const auto& tag : width_tags(name, elements, assay::size_of(dtype))) coverage.add(tag);
  };
  for (const Tensor& tensor : problem.inputs) cover(tensor.name, tensor.element_count(), tensor.dtype);
  for (const OutputSpec& output : problem.outputs) cover(output.name, count_of(output.shape), output.dtype);
}

void cover_widths(const std::string& tensor, std::size_t first, std::size_t last, std::size_t element_bytes,
                  Coverage& coverage) {
  each_width(tensor, last + 1, element_bytes, [&](std::size_t beyond, const std::string& tag) {
    if (first < beyond) coverage.add(tag);
  });
}

}  // namespace assay::properties
