#include "harness/metal_kernel/metal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "harness/device/source_text.hpp"
#include "harness/device/text_folders.hpp"
#include "harness/metal/compile/cache.hpp"
#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/text/mlx_body.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// A name for a file in the cache that says what it is, and leads nowhere else.
std::string file_name_of(const std::string& name) {
  std::string kept = fs::path(name).filename().string();
  for (char& c : kept)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  if (kept.empty() || kept.front() == '.') kept = "kernel" + kept;
  return kept;
}

std::string metal_type(const std::string& dtype) {
  const auto type = metal::metal_type_of_mlx(dtype);
  if (type.empty())
    throw std::invalid_argument(fmt::format("{} is no dtype of MLX's for GPUs; there are {}", dtype,
                                            fmt::join(metal::mlx_types(), ", ")));
  return std::string(type);
}

metal::MlxCall call_of(const MlxSignature& signature, const std::string& function) {
  using Form = metal::MlxInput::Form;
  metal::MlxCall call;
  call.function = function;
  for (const auto& one : signature.inputs)
    call.inputs.push_back({one.name, metal_type(one.dtype),
                           one.scalar  ? Form::scalar
                           : one.small ? Form::small
                                       : Form::large});
  for (const auto& [name, dtype] : signature.outputs) {
    const auto type = metal_type(dtype);
    if (signature.atomic_outputs && metal::atomic_type_over(type).empty())
      throw std::invalid_argument(fmt::format(
          "atomic_outputs: {} holds {}, over which Metal has no atomic type; there are those over int32, "
          "uint32 and float32",
          name, dtype));
    call.outputs.push_back({name, type});
  }
  for (const auto& one : signature.template_arguments) {
    const bool type = one.kind == "dtype";
    call.template_arguments.push_back(
        {one.name, type ? "typename" : one.kind, type ? metal_type(one.value) : one.value});
  }
  call.atomic_outputs = signature.atomic_outputs;
  return call;
}

}  // namespace

MetalTexts::MetalTexts(const MetalSource& source, Function wanted) {
  if (source.file.empty() && source.text.text.empty()) throw std::invalid_argument("the kernel has no text");
  if (!source.file.empty() && !fs::is_regular_file(source.file))
    throw std::invalid_argument(fmt::format("there is no file {}", source.file.string()));
  source_.path = source.file.empty() ? write(source.text) : source.file;
  source_.function = source.function;
  source_.defines = source.defines;
  source_.include_dirs = source.include_dirs;
  // The caller names the folders: text that lies there is the caller's.
  if (!source.file.empty()) device::allow_texts(device::project_around(source.file));
  for (const auto& folder : source.include_dirs) device::allow_texts(folder);
  if (source.mlx) {
    make_body(source);
  } else if (source.function.empty() && wanted == Function::one) {
    const auto all = draft::kernels_of(source_);
    if (all.size() != 1)
      throw std::invalid_argument(all.empty() ? shown(source_.path.string() + " has no kernel function")
                                              : fmt::format("the text has {} kernels; name one of {}",
                                                            all.size(), fmt::join(all, ", ")));
    source_.function = all.front();
  }
}

void MetalTexts::make_body(const MetalSource& source) {
  const auto& mlx = *source.mlx;
  metal::MlxText header;
  if (!mlx.header.text.empty()) header = {write(mlx.header), mlx.header.text};
  try {
    source_.composed = metal::mlx_kernel(call_of(mlx, source.function), header,
                                         {source_.path, metal::content_of(source_.path)})
                           .text;
  } catch (const metal::BodyError& wrong) {
    throw std::invalid_argument(fmt::format("{}: {}", wrong.field(), shown(std::string(wrong.what()))));
  }
}

fs::path MetalTexts::write(const MetalText& text) {
  const auto file = metal::keep_text(metal::toolchain().cache, text.text, file_name_of(text.name));
  written_.push_back({file.string(), text.name, text.text, text.first_line});
  return file;
}

void MetalTexts::remember() const {
  for (const auto& one : written_) {
    // Another text may stand under the same name in another place.
    if (fs::is_regular_file(one.name)) {
      device::remember_source(one.name);
    } else {
      device::remember_text(one.name, std::string(one.first_line - 1, '\n') + one.text);
    }
  }
}

namespace {

/// The least and the largest of a type of whole numbers; nothing of others.
std::optional<std::pair<double, double>> limits_of(const std::string& type) {
  if (type == "bool") return {{0, 1}};
  if (type == "char") return {{-128, 127}};
  if (type == "uchar") return {{0, 255}};
  if (type == "short") return {{-32768, 32767}};
  if (type == "ushort") return {{0, 65535}};
  if (type == "int") return {{-2147483648.0, 2147483647.0}};
  if (type == "uint") return {{0, 4294967295.0}};
  return std::nullopt;
}

/// The value of a constant as a text has it. Throws std::invalid_argument for what its type does not hold.
std::string literal_of(const draft::FunctionConstant& constant, const std::string& value) {
  const auto limits = limits_of(constant.type);
  double number = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (!limits || failed == std::errc::invalid_argument || end != value.data() + value.size()) return value;
  if (std::trunc(number) != number)
    throw std::invalid_argument(
        fmt::format("{} is {}, and {} is no whole number", constant.name, constant.type, value));
  if (number < limits->first || number > limits->second)
    throw std::invalid_argument(
        fmt::format("{} is {}, which has no {}", constant.name, constant.type, value));
  return fmt::format("{:.0f}", number);
}

}  // namespace

void MetalTexts::name_constants(const MetalSource& source,
                                const std::vector<draft::FunctionConstant>& known) {
  std::set<std::string> names;
  for (const auto& one : known) names.insert(one.name);
  for (const auto& [key, value] : source.function_constants) {
    std::uint32_t index = 0;
    const auto [end, failed] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (failed != std::errc() || end != key.data() + key.size()) {
      const auto named =
          std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.name == key; });
      if (named == known.end())
        throw std::invalid_argument(
            fmt::format("the kernel has no function constant {}; it has {}", key,
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
      index = named->index;
    }
    if (source_.function_constants.contains(index))
      throw std::invalid_argument(fmt::format("function constant {} is given twice", key));
    const auto constant =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.index == index; });
    source_.function_constants[index] = constant == known.end() ? value : literal_of(*constant, value);
  }
}

device::SourcePlace MetalTexts::shown(device::SourcePlace place) const {
  for (const auto& one : written_) {
    if (place.file != one.file) continue;
    place.file = one.name;
    if (place.line != 0) place.line += one.first_line - 1;
  }
  return place;
}

void MetalTexts::show(device::LaunchReport& report) const {
  const auto show_in = [&](device::SourcePlace& place) { place = shown(std::move(place)); };
  for (auto* faults : {&report.faults, &report.undefined}) {
    for (auto& fault : *faults) {
      show_in(fault.place);
      fault.message = shown(std::move(fault.message));  // it may name the place of a barrier
      for (auto& access : fault.accesses) show_in(access.place);
      for (auto& barrier : fault.barriers) show_in(barrier.place);
    }
  }
  for (auto& old : report.old_values) {
    show_in(old.load.place);
    show_in(old.change.place);
  }
}

std::string MetalTexts::shown(std::string words) const {
  for (const auto& one : written_) {
    for (auto at = words.find(one.file); at != words.npos; at = words.find(one.file, at)) {
      std::size_t end = at + one.file.size();
      std::string place = one.name;
      std::uint32_t line = 0;
      if (end < words.size() && words[end] == ':') {
        const auto [stop, failed] =
            std::from_chars(words.data() + end + 1, words.data() + words.size(), line);
        if (failed == std::errc()) {
          place += fmt::format(":{}", line + one.first_line - 1);
          end = static_cast<std::size_t>(stop - words.data());
        }
      }
      words.replace(at, end - at, place);
      at += place.size();
    }
  }
  return words;
}

}  // namespace assay
