#include "harness/metal/clang/spaces.hpp"

#include <clang/Frontend/FrontendActions.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/metal/clang/attributes.hpp"
#include "harness/metal/clang/instance.hpp"
#include "harness/metal/clang/places.hpp"

namespace assay::metal {
namespace {

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

// What clang says of the parts that are used, in order.
struct Said {
  bool note = false;
  Diagnostic::Place place;
  std::string message;
};

class Listener : public clang::DiagnosticConsumer {
 public:
  Listener(std::vector<Said>& said, const TextRanges& used) : said_(said), used_(used) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    const bool note = level == clang::DiagnosticsEngine::Note;
    if ((!note && level < clang::DiagnosticsEngine::Error) || !info.hasSourceManager()) return;
    if (!note) counts_ = is_used(info.getSourceManager(), info.getLocation());
    if (!counts_) return;
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    said_.push_back({note, place_of(info.getSourceManager(), info.getLocation()), message.str().str()});
  }

 private:
  bool is_used(const clang::SourceManager& sources, clang::SourceLocation where) const {
    const auto [file, at] = sources.getDecomposedLoc(sources.getExpansionLoc(where));
    return file == sources.getMainFileID() &&
           std::any_of(used_.begin(), used_.end(),
                       [at = at](const auto& one) { return one.first <= at && at < one.second; });
  }

  std::vector<Said>& said_;
  const TextRanges& used_;
  bool counts_ = false;  // does the error that is spoken of?
};

class SpacesAction : public clang::SyntaxOnlyAction {
 protected:
  // Variables in threadgroup memory stand in any function and in any block of it, and are what they are.
  void ExecuteAction() override {
    std::vector<clang::VarDecl*> variables;
    take_local_variables(&variables);
    getCompilerInstance().getPreprocessor().setTokenWatcher([&](const clang::Token&) {
      for (clang::VarDecl* one : std::exchange(variables, {}))
        if (one->isLocalVarDecl() && !one->getType()->isUndeducedType()) one->setInvalidDecl(false);
    });
    SyntaxOnlyAction::ExecuteAction();
    take_local_variables(nullptr);
  }
};

std::optional<Diagnostic> first_of_spaces(const std::vector<Said>& all,
                                          const std::set<std::string>& of_library) {
  static const std::regex kNoMatch("no matching (?:member )?function for call to '([A-Za-z_0-9]+)'");
  std::optional<Diagnostic> call;  // an error whose candidates follow
  std::size_t candidates = 0;
  std::smatch name;
  const auto settled = [&] { return call && candidates > 0; };
  for (const Said& one : all) {
    if (one.note) {
      if (!call || one.message.find("candidate") == one.message.npos) continue;
      if (!is_candidate_of_spaces(one.message)) {
        call.reset();
        continue;
      }
      if (candidates++ == 0) call->message += ": " + shown(one.message);
      continue;
    }
    if (settled()) return call;
    call.reset();
    candidates = 0;
    const Diagnostic found{one.place, "address spaces do not match: " + shown(one.message), {}};
    if (is_of_spaces(one.message)) return found;
    if (std::regex_search(one.message, name, kNoMatch) && !of_library.contains(name[1].str())) call = found;
  }
  return settled() ? call : std::nullopt;
}

}  // namespace

std::optional<Diagnostic> mixed_spaces(const ReadRequest& request, const std::string& text,
                                       const TextRanges& used, const std::set<std::string>& of_library) {
  std::vector<Said> said;
  const auto compiler = instance_for({"-triple", "spir64-unknown-unknown", "-x", "clcpp", "-cl-std=clc++2021",
                                      "-cl-single-precision-constant", "-w", "-ferror-limit", "0",
                                      "-fno-spell-checking", "-include", request.library + "/assay/spaces.h"},
                                     request.file, [&] { return new Listener(said, used); });
  if (compiler == nullptr) return std::nullopt;
  read_instead(*compiler, request.file, text);
  SpacesAction action;
  compiler->ExecuteAction(action);
  return first_of_spaces(said, of_library);
}

}  // namespace assay::metal
