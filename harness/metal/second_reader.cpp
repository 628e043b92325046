#include "harness/metal/second_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <sstream>
#include <vector>

#include "harness/metal/compile_texts.hpp"
#include "harness/metal/declaration.hpp"
#include "harness/metal/dialect.hpp"
#include "harness/metal/errors.hpp"
#include "harness/metal/library_words.hpp"
#include "harness/metal/process.hpp"
#include "harness/metal/scratch.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSpaces = {{{"device", "__global"},
                                                                                   {"constant", "__constant"},
                                                                                   {"threadgroup", "__local"},
                                                                                   {"thread", "__private"}}};

// The space that what `type` points or refers to lies in, or a value of it, in OpenCL's words; "" if it says
// none. In `__global float *__private` the last word is that of the pointer itself.
std::string space_of(const std::string& type, bool pointee) {
  auto end = type.size();
  if (pointee) {
    const auto mark = type.find_last_of("*&");
    if (mark != type.npos) end = mark;
  }
  const auto begin = end == 0 ? type.npos : type.find_last_of("*&", end - 1);
  const auto part =
      type.substr(begin == type.npos ? 0 : begin + 1, end - (begin == type.npos ? 0 : begin + 1));
  for (const auto& [metal, opencl] : kSpaces) {
    static const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    for (auto at = part.find(opencl); at != part.npos; at = part.find(opencl, at + 1)) {
      const auto behind = at + opencl.size();
      if ((at == 0 || !is_part(part[at - 1])) && (behind == part.size() || !is_part(part[behind])))
        return std::string(opencl);
    }
  }
  return {};
}

// In Metal's words, without that of the pointer itself.
std::string shown(const std::string& message) {
  std::string text = std::regex_replace(message, std::regex(R"(([*&]) ?__private)"), "$1");
  for (const auto& [metal, opencl] : kSpaces)
    text = std::regex_replace(text, std::regex("\\b" + std::string(opencl) + "\\b"), std::string(metal));
  return text;
}

// Does it name two types, or two spaces, that are of different spaces?
bool names_two_spaces(const std::string& message) {
  static const std::regex kTypes("'([^']+)'(?: \\(aka '([^']+)'\\))?");
  std::vector<std::string> types;
  for (std::sregex_iterator it(message.begin(), message.end(), kTypes), end; it != end; ++it)
    types.push_back((*it)[2].matched ? (*it)[2].str() : (*it)[1].str());
  if (types.size() < 2) return false;
  const bool reference = message.find("binding reference") != message.npos;
  // Of two values, wherever they lie, either may be taken; clang says so of numbers, and not of classes.
  const auto is_value = [](const std::string& type) { return type.find('*') == type.npos; };
  if (message.starts_with("incompatible operand types") && (is_value(types[0]) || is_value(types[1])))
    return false;
  const auto space = [&](const std::string& type) {
    const bool pointer = type.find_first_of("*&") != type.npos;
    return space_of(type, pointer && !reference);
  };
  const auto one = space(types[0]), other = space(types[1]);
  return !one.empty() && !other.empty() && one != other;
}

bool is_of_spaces(const std::string& message) {
  static const std::regex kOfSpaces(
      "(cannot initialize (a|an|the) (variable|parameter|return object|member subobject|array element)|"
      "cannot initialize return object|assigning '.*changes address space|binding reference of type|"
      "C-style cast from|(reinterpret|static)_cast from|incompatible operand types).*");
  return std::regex_search(message, kOfSpaces) && names_two_spaces(message);
}

bool is_candidate_of_spaces(const std::string& note) {
  static const std::regex kOfSpaces(
      "candidate (function|template).* (cannot pass pointer to address space|deduced type|"
      "not viable: address space|not viable: no known conversion from .*\\[[0-9]+\\]'\\)? to).*");
  return std::regex_search(note, kOfSpaces) && names_two_spaces(note);
}

}  // namespace

std::string text_with_spaces(TokenText text) {
  erase_attributes(text);
  for (auto& token : text.tokens) {
    if (token.is("kernel")) token.rewrite();
    const std::string note = token.is("threadgroup") ? "__attribute__((assay_local)) " : "";
    for (const auto& [metal, opencl] : kSpaces) {
      if (token.is(metal)) token.rewrite(note + std::string(opencl));
    }
  }
  return text.str() + "\n";
}

std::optional<MixedSpaces> mixed_spaces(const std::string& output) {
  static const std::regex kLine(R"(^(.+?):(\d+):(?:\d+:)? (?:fatal )?(error|note): (.+))");
  static const std::regex kNoMatch("no matching (?:member )?function for call to '([A-Za-z_0-9]+)'");
  std::istringstream lines(output);
  std::optional<MixedSpaces> call;  // an error whose candidates follow
  std::size_t candidates = 0;
  std::smatch match, name;
  const auto settled = [&] { return call && candidates > 0; };
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_search(line, match, kLine)) continue;
    const std::string message = match[4];
    if (match[3] == "note") {
      if (!call || message.find("candidate") == message.npos) continue;
      if (!is_candidate_of_spaces(message)) {
        call.reset();
        continue;
      }
      if (candidates++ == 0) call->message += ": " + shown(message);
      continue;
    }
    if (settled()) return call;
    call.reset();
    candidates = 0;
    const MixedSpaces found{match[1], static_cast<std::uint32_t>(std::stoul(match[2])), shown(message)};
    if (is_of_spaces(message)) return found;
    if (std::regex_search(message, name, kNoMatch) && !is_library_word(name[1].str())) call = found;
  }
  return settled() ? call : std::nullopt;
}

void refuse_mixed_spaces(const std::string& text, const fs::path& main_file, const Toolchain& tools) {
  const ScratchDirectory scratch(tools.cache);
  const fs::path file = scratch / "spaces.cl";
  write_atomically(file, text);
  auto argv = compiler_command(tools, "read",
                               {"-triple", "spir64-unknown-unknown", "-x", "clcpp", "-cl-std=clc++2021",
                                "-cl-single-precision-constant", "-w", "-ferror-limit", "0", "-include",
                                (tools.stdlib / "assay/spaces.h").string()});
  argv.push_back(file.string());
  const auto result = run_compiler(tools, argv, scratch.path());
  if (result.exit_code > 1 || !result.stopped.empty())  // an end of its own is 0 or 1
    throw CompileError(main_file.string(), 0, "the compiler failed: " + complaint(result), result.err);
  const auto found = mixed_spaces(result.err);
  if (!found) return;
  throw CompileError(found->file == file.string() ? main_file.string() : found->file, found->line,
                     "address spaces do not match: " + found->message, result.err);
}

}  // namespace assay::metal
