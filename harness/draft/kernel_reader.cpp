#include "harness/draft/kernel_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>

#include "harness/draft/threads.hpp"
#include "harness/metal/text/outline_query.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::draft {
namespace {

// Named numbers that may be sides of tiles.
constexpr std::size_t kMostSizes = 6;
constexpr std::int64_t kMostOfSide = 512;

// Behind a pointer these are scales of blocks, of which there are many.
bool holds_halves(const Parameter& one) {
  const auto& all = one.element.scalars;
  return std::any_of(all.begin(), all.end(), [](const Scalar& field) { return !field.fixed.empty(); });
}

// `constant Params* p`: a struct whose fields have names is passed by value, however it is declared, unless
// there are several of it.
bool is_record(const Parameter& one, const metal::OutlinedParameter& read) {
  const bool fields = read.shape.kind == device::MemoryShape::Kind::structure && !one.element.of_struct;
  return read.constant && !read.indexed && fields && !one.element.scalars.empty() && !holds_halves(one);
}

bool is_values(const Parameter& one, const metal::OutlinedParameter& read) {
  const bool record = !read.indexed || read.reference;
  return !one.writable && !one.element.of_struct && !one.element.scalars.empty() && record &&
         (read.reference || (one.element.scalars.size() > 4 && !holds_halves(one)));
}

Parameter parameter_of(const metal::OutlinedParameter& read) {
  Parameter one;
  one.name = read.name;
  one.named = read.named;
  one.written = read.written;
  one.line = read.line;
  one.writable = !read.read_only;
  // Of a reference to an array the elements are bound.
  const bool elements = read.shape.kind == device::MemoryShape::Kind::array && read.written.ends_with("(&");
  one.element = element_of(elements && !read.shape.parts.empty() ? read.shape.parts.front() : read.shape);
  one.element.atomic = read.atomic;
  one.element.pointers |= read.pointers;
  one.element.of_struct = read.open_array;
  const bool memory = read.attribute.empty() || read.attribute == "buffer" || read.attribute == "threadgroup";
  if (memory && read.pointer) {
    one.kind = read.attribute == "threadgroup" || read.threadgroup ? Parameter::Kind::threadgroup
               : is_values(one, read) || is_record(one, read)      ? Parameter::Kind::scalars
                                                                   : Parameter::Kind::buffer;
  } else if (!memory && read.attribute != "texture" && read.attribute != "sampler") {
    one.kind = Parameter::Kind::position;
    one.attribute = read.attribute;
    one.axes = std::max(read.components, 1U);
    one.used_axes = read.used_components;
  }
  return one;
}

/// `#define NAME TEXT`, without parameters, of those files and of the command line, in order: the
/// preprocessor leaves no more of them.
std::vector<std::pair<std::string, std::string>> macros_of(const device::KernelSource& source,
                                                           const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, std::string>> all(source.defines.begin(), source.defines.end());
  static const std::regex kDefine(R"(^\s*#\s*define\s+([A-Za-z_]\w*)\s+([^\s/][^/]*))");
  for (const auto& file : files) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) continue;
    std::ifstream in(file);
    std::smatch match;
    for (std::string line; std::getline(in, line);) {
      if (std::regex_search(line, match, kDefine)) all.emplace_back(match[1].str(), match[2].str());
    }
  }
  return all;
}

std::vector<std::int64_t> named_sizes(const std::vector<metal::NamedNumbers>& named) {
  std::vector<std::int64_t> sizes;
  for (const auto& one : named) {
    for (const auto value : one.values) {
      const bool fits = value > 1 && value <= kMostOfSide && sizes.size() < kMostSizes;
      if (fits && std::find(sizes.begin(), sizes.end(), value) == sizes.end()) sizes.push_back(value);
    }
  }
  return sizes;
}

}  // namespace

const Parameter* KernelText::find(const std::string& name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const Parameter& one) { return one.name == name; });
  return found == parameters.end() ? nullptr : &*found;
}

unsigned KernelText::used_axes_of(const std::string& attribute) const {
  unsigned axes = 0;
  for (const Parameter& one : parameters) {
    if (one.attribute == attribute) axes = std::max(axes, one.used_axes);
  }
  return axes;
}

unsigned KernelText::axes_of(const std::string& attribute) const {
  unsigned axes = 0;
  for (const Parameter& one : parameters) {
    if (one.attribute == attribute) axes = std::max(axes, one.axes);
  }
  return axes;
}

std::vector<std::string> kernels_of(const device::KernelSource& source) {
  return metal::outline_of(metal::preprocess(source), source, {.lists = true}).kernels;
}

KernelText read_kernel(const device::KernelSource& source) {
  const std::string text = metal::preprocess(source);
  const auto files = metal::tokenize(text, source.path.string()).files;
  metal::Outline outline = metal::outline_of(text, source, {.macros = macros_of(source, files)});
  KernelText kernel;
  kernel.function = source.function;
  for (const auto& one : outline.parameters) kernel.parameters.push_back(parameter_of(one));
  kernel.constants = std::move(outline.constants);
  kernel.threads = threads_in(outline, kernel.parameters);
  kernel.strides = strides_in(outline);
  kernel.threads_matter = threads_matter(kernel.parameters);
  kernel.waits = outline.waits;
  kernel.tiles = named_sizes(outline.named);
  return kernel;
}

}  // namespace assay::draft
