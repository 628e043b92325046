#include "harness/metal/compile/diagnostics.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <regex>
#include <sstream>
#include <vector>

#include "harness/metal/compile/errors.hpp"

namespace assay::metal {
namespace {

// Names that mean a part of Metal which no compute kernel for matrices needs and the simulator lacks.
constexpr std::array<std::pair<std::string_view, const char*>, 35> kMissing = {{
    {"texture2d_ms_array", "textures of that kind are"},
    {"depth2d_ms_array", "textures of that kind are"},
    {"imageblock", "image blocks are"},
    {"mesh_grid_properties", "mesh shaders are"},
    {"intersector", "ray tracing is"},
    {"raytracing", "ray tracing is"},
    {"acceleration_structure", "ray tracing is"},
    {"visible_function_table", "function tables are"},
    {"intersection_function_table", "function tables are"},
    {"command_buffer", "indirect command buffers are"},
    {"compute_command", "indirect command buffers are"},
    {"render_command", "indirect command buffers are"},
    {"object_data", "mesh shaders are"},
    {"patch_control_point", "tessellation is"},
    {"simdgroup_event", "asynchronous copies that the text does not declare are"},
    {"simdgroup_async_copy", "asynchronous copies that the text does not declare are"},
    {"primitive_acceleration_structure", "ray tracing is"},
    {"instance_acceleration_structure", "ray tracing is"},
    {"intersection_query", "ray tracing is"},
    {"intersection_result", "ray tracing is"},
    {"triangle_data", "ray tracing is"},
    {"convolution2d", "convolutions of tensors are"},
    {"convolution2d_descriptor", "convolutions of tensors are"},
    {"reduce_rows", "reductions of tensors are"},
    {"reduce_columns", "reductions of tensors are"},
    {"get_row_reduction_destination_cooperative_tensor", "reductions of tensors are"},
    {"get_column_reduction_destination_cooperative_tensor", "reductions of tensors are"},
    {"execution_threadgroup", "operations of a whole threadgroup, whatever its size, are"},
    {"tensor_offset", "tensors that the host binds are"},
    {"mpp", "Metal 4 tensors beyond matmul2d are"},
    {"tensor_ops", "Metal 4 tensors beyond matmul2d are"},
    {"simdgroup_bfloat8x8x8", "matrices of that shape are"},
    {"r8unorm", "packed pixel formats are"},
    {"rgba8unorm", "packed pixel formats are"},
    {"rgba16unorm", "packed pixel formats are"},
}};

// Headers of Apple's that are not there: others of <MetalPerformancePrimitives/...>.
constexpr std::array<std::pair<std::string_view, const char*>, 2> kMissingHeaders = {{
    {"MetalPerformancePrimitives", "Metal 4 tensors beyond matmul2d are"},
    {"metal_", "this part of Metal is"},
}};

struct Place {
  std::string file;
  std::uint32_t line = 0;
};
struct Error {
  Place place;  ///< in the user's text, if it is known
  std::string message;
};

// Without the library's own namespace.
std::string in_words_of_metal(const std::string& message) {
  static const std::regex kOwn("\\bassay_msl::");
  return std::regex_replace(message, kOwn, "");
}

class Reader {
 public:
  Reader(const std::string& main_file, const std::filesystem::path& stdlib)
      : main_file_(main_file), stdlib_(stdlib.string() + "/") {}

  std::vector<Error> errors(const std::string& output) {
    static const std::regex kError(R"(^(.+?):(\d+)(?::\d+)?: (?:fatal )?error: (.+))");
    static const std::regex kRequired(R"(^(.+?):(\d+):\d+:\s+required from here)");
    std::vector<Error> found;
    std::istringstream lines(output);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, match, kRequired)) {
        note(match);
      } else if (std::regex_search(line, match, kError)) {
        note(match);
        found.push_back({context_.value_or(Place{main_file_, 0}), in_words_of_metal(match[3])});
        // An error in the user's own lines is there, whatever led to it.
        if (!in_stdlib(match[1])) found.back().place = place(match);
        context_.reset();
      }
    }
    return found;
  }

 private:
  static Place place(const std::smatch& match) {
    const std::string digits = match[2];
    return {match[1], static_cast<std::uint32_t>(std::strtoul(digits.c_str(), nullptr, 10))};
  }
  bool in_stdlib(const std::string& file) const { return file.starts_with(stdlib_); }

  // The innermost place of the user's on the way to the next error: the compiler lists it first.
  void note(const std::smatch& match) {
    if (!context_ && !in_stdlib(match[1])) context_ = place(match);
  }

  std::string main_file_, stdlib_;
  std::optional<Place> context_;
};

// The part of Metal that a message speaks of, in words, if it is one that is missing.
std::optional<std::string> missing_part(const std::string& message) {
  // The compiler is confined to them.
  static const std::regex kDenied("^cannot open file '(.+)': Permission denied$");
  std::smatch match;
  if (std::regex_match(message, match, kDenied)) {
    return fmt::format(
        "`{}` lies outside the kernel's project and its include_dirs, or may not be read; name its "
        "folder with --allow-dir, if the kernel is meant to have it",
        match[1].str());
  }
  static const std::regex kQuoted("'(?:metal::)?([A-Za-z_][A-Za-z_0-9]*)");
  static const std::regex kHeader("^'([A-Za-z_/.]+)' file not found");
  if (std::regex_search(message, match, kHeader)) {
    const std::string header = match[1];
    for (const auto& [name, what] : kMissingHeaders) {
      if (header.starts_with(name)) return fmt::format("<{}>: {} not supported", header, what);
    }
  }
  for (std::sregex_iterator it(message.begin(), message.end(), kQuoted), end; it != end; ++it) {
    if ((*it)[1].str().starts_with("__metal_")) {
      return fmt::format("`{}`: functions of Apple's compiler are not supported", (*it)[1].str());
    }
    for (const auto& [name, what] : kMissing) {
      if ((*it)[1].str() == name) return fmt::format("`{}`: {} not supported", name, what);
    }
  }
  return std::nullopt;
}

// What the library (`error("assay: ...")`, static assertions) and the passes of assay-compiler say
// themselves; `by`: "assay" of what is not supported, "metal" of what Metal refuses.
std::optional<std::string> said(const std::string& by, const std::string& message) {
  const auto at = message.find(by + ": ");
  if (at == message.npos || (at != 0 && message[at - 1] != ' ')) return std::nullopt;
  return message.substr(at + by.size() + 2);
}

}  // namespace

void throw_compile_error(const std::string& output, const CompiledText& text) {
  const auto errors = Reader(text.main_file, text.stdlib).errors(output);
  if (errors.empty()) {
    throw CompileError(text.main_file, 0, "the compiler failed: " + output.substr(0, output.find('\n')),
                       output);
  }
  for (const auto& error : errors) {
    if (const auto part = missing_part(error.message)) {
      throw UnsupportedFeature(error.place.file, error.place.line, *part, output);
    }
  }
  const Error& first = errors[0];
  if (const auto why = said("assay", first.message))
    throw UnsupportedFeature(first.place.file, first.place.line, *why, output);
  throw CompileError(first.place.file, first.place.line, said("metal", first.message).value_or(first.message),
                     output);
}

}  // namespace assay::metal
