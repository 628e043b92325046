#include "harness/metal/text/foreign_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "harness/device/text_folders.hpp"
#include "harness/metal/compile/errors.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::metal {
namespace {

namespace fs = std::filesystem;
using device::resolved;

// Compared with words, or with their beginnings.
constexpr std::array<std::string_view, 13> kReserved = {
    "__assay_",     "assay_",   "ASSAY_",  "__tsan_",       "__wrap_",       "__asan_",       "__ubsan_",
    "__sanitizer_", "__start_", "__stop_", "jump_fcontext", "make_fcontext", "ontop_fcontext"};

// Macros that a compiler defines for its second reading of a text alone: they could hide what stands beside
// them, and tell one mode from another. Compared with the beginnings of words.
constexpr std::array<std::string_view, 47> kHostMacros = {"__REGISTER_PREFIX__",
                                                          "__USER_LABEL_PREFIX__",
                                                          "__INT8_C",
                                                          "__INT16_C",
                                                          "__INT32_C",
                                                          "__INT64_C",
                                                          "__INTMAX_C",
                                                          "__UINT8_C",
                                                          "__UINT16_C",
                                                          "__UINT32_C",
                                                          "__UINT64_C",
                                                          "__UINTMAX_C",
                                                          "__GNUC",
                                                          "__GNUG__",
                                                          "__GCC_",
                                                          "__GXX_",
                                                          "__VERSION__",
                                                          "__OPTIMIZE",
                                                          "__NO_INLINE__",
                                                          "__SANITIZE_",
                                                          "__PIC__",
                                                          "__pic__",
                                                          "__PIE__",
                                                          "__pie__",
                                                          "__x86_64",
                                                          "__amd64",
                                                          "__aarch64__",
                                                          "__ARM_",
                                                          "__linux",
                                                          "__gnu_linux__",
                                                          "__unix",
                                                          "__ELF__",
                                                          "__SSE",
                                                          "__AVX",
                                                          "__MMX",
                                                          "__BMI",
                                                          "__FMA__",
                                                          "__CET__",
                                                          "__SEG_",
                                                          "__k8",
                                                          "__code_model",
                                                          "__tune_",
                                                          "__DECIMAL_",
                                                          "__CHAR_UNSIGNED__",
                                                          "__SIZEOF_",
                                                          "__FINITE_MATH_ONLY__",
                                                          "__STRICT_ANSI__"};

// Of `#pragma GCC ...`, those that say nothing but how to unroll, and what not to warn of.
constexpr std::array<std::string_view, 4> kHarmlessOfGcc = {"unroll", "ivdep", "diagnostic", "system_header"};
// A compiler knows these without `GCC`: they rename symbols, and bring macros back. What it does not know it
// ignores.
constexpr std::array<std::string_view, 5> kRefusedPragmas = {"weak", "redefine_extname", "push_macro",
                                                             "pop_macro", "scalar_storage_order"};

template <std::size_t N>
bool one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string next_word(std::string_view text, std::size_t& at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  const auto begin = at;
  while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
  return std::string(text.substr(begin, at - begin));
}

// The folders that a kernel's text may come from.
class Folders {
 public:
  Folders(const device::KernelSource& source, const fs::path& stdlib)
      : source_(resolved(source.path)), folders_(device::text_folders_of(source.path)) {
    const auto parent = source.path.parent_path();
    folders_.push_back(resolved(parent.empty() ? "." : parent));
    folders_.push_back(resolved(stdlib));
    for (const auto& directory : source.include_dirs) folders_.push_back(resolved(directory));
    for (const auto& file : source.text_prefix)
      folders_.push_back(resolved(file.has_parent_path() ? file.parent_path() : "."));
    for (const auto& piece : source.composed.pieces) {
      if (!piece.file.empty())
        folders_.push_back(resolved(piece.file.has_parent_path() ? piece.file.parent_path() : "."));
    }
  }

  /// Also files that are not there: their text is in no report.
  bool allow(const fs::path& file) const {
    std::error_code failed;
    if (!fs::exists(file, failed) && !failed) return true;
    const auto real = resolved(file);
    return real == source_ || std::any_of(folders_.begin(), folders_.end(), [&](const fs::path& folder) {
             return device::lies_in(real, folder);
           });
  }

 private:
  fs::path source_;
  std::vector<fs::path> folders_;
};

class ForeignText {
 public:
  ForeignText(const TokenText& text, const Folders& folders) : text_(text), folders_(folders) {}

  void refuse() {
    refuse_files();
    for (at_ = 0; at_ < text_.tokens.size(); ++at_) {
      const Token& token = text_.tokens[at_];
      switch (token.kind) {
        case TokenKind::directive:
          directive(token);
          break;
        case TokenKind::identifier:
          word(token);
          break;
        case TokenKind::number:
          number(token);
          break;
        case TokenKind::punctuator:
          punctuator(token);
          break;
        default:
          break;
      }
    }
  }

 private:
  [[noreturn]] void refused(const Token& place, const std::string& why) const {
    throw UnsupportedFeature(text_.files[place.file], place.line, why);
  }

  // "" at the end.
  std::string_view following() const {
    return at_ + 1 < text_.tokens.size() ? std::string_view(text_.tokens[at_ + 1].text) : std::string_view();
  }

  // Line markers as the preprocessor writes them: at the line's start, `# 12 "file"`.
  bool is_marker(std::size_t i) const {
    const auto& text = text_.tokens[i].text;
    return text.size() > 2 && text[1] == ' ' && std::isdigit(static_cast<unsigned char>(text[2])) &&
           starts_line(i);
  }
  bool starts_line(std::size_t i) const { return i == 0 || text_.tokens[i - 1].text.ends_with('\n'); }

  // The tokenizer lists every file that a marker names. The first is the source.
  void refuse_files() const {
    std::set<std::size_t> foreign;
    for (std::size_t f = 1; f < text_.files.size(); ++f) {
      const std::string& name = text_.files[f];
      if (odd_name(name)) refused_name(f);
      const bool nowhere = name == "<built-in>" || name == "<command-line>";
      if (!nowhere && !folders_.allow(name)) foreign.insert(f);
      std::error_code absent;
      if (const auto status = fs::status(name, absent); fs::exists(status) && !fs::is_regular_file(status))
        throw UnsupportedFeature(text_.files[0], 0, fmt::format("`{}` is not a regular file", name));
    }
    if (foreign.empty()) return;
    for (std::size_t i = 0; i < text_.tokens.size(); ++i) {
      const Token& token = text_.tokens[i];
      if (token.kind != TokenKind::directive || !is_marker(i)) continue;
      for (const auto f : foreign) {
        if (token.text.find('"' + text_.files[f] + '"') == std::string::npos) continue;
        refused(token, fmt::format("`{}` lies outside the kernel's project and its include_dirs; name its "
                                   "folder with --allow-dir, if the kernel is meant to have it",
                                   text_.files[f]));
      }
    }
    refused(text_.tokens.front(), "it names a file outside the kernel's project and its include_dirs");
  }

  // Reports name the file, and people read them line by line. Markers write what cannot be printed as
  // escapes:
  // `\n`, or three octal digits, as they do the bytes of letters beyond ASCII.
  static bool odd_name(const std::string& name) {
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (std::iscntrl(static_cast<unsigned char>(name[i])) != 0) return true;
      if (name[i] != '\\' || ++i == name.size() || name[i] == '\\' || name[i] == '"') continue;
      const int code = std::isdigit(static_cast<unsigned char>(name[i])) != 0
                           ? std::stoi(name.substr(i, 3), nullptr, 8)
                           : 0;
      if (code < 32 || code == 127) return true;
    }
    return name.empty();
  }
  [[noreturn]] void refused_name(std::size_t file) const {
    for (const Token& token : text_.tokens) {
      if (token.file != file) continue;
      throw UnsupportedFeature(text_.files[0], 0,
                               fmt::format("a `#line {}` gives a file an empty name, or one with control "
                                           "characters; write another name",
                                           token.line));
    }
    throw UnsupportedFeature(text_.files[0], 0,
                             "a `#line` gives a file an empty or odd name; write another name");
  }

  void directive(const Token& token) const {
    if (is_marker(at_)) return;
    std::size_t at = 1;
    const std::string_view text = token.text;
    const std::string first = next_word(text, at);
    if (first != "pragma" || !starts_line(at_)) {
      refused(token, fmt::format("`#{}` is not supported here", first));
    }
    const std::string about = next_word(text, at);
    const std::string what = about == "GCC" ? next_word(text, at) : "";
    if (about == "GCC" ? !one_of(what, kHarmlessOfGcc) : one_of(about, kRefusedPragmas)) {
      refused(token, fmt::format("`#pragma {}{}{}` instructs the host's compiler, which a kernel may not do",
                                 about, what.empty() ? "" : " ", what));
    }
  }

  void word(const Token& token) const {
    const std::string_view text = token.text;
    const bool raw = text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R";
    if (raw && following().starts_with('"')) refused(token, "raw strings are not supported");
    if (text == "_Pragma") refused(token, "`_Pragma` is not supported here");
    if (std::any_of(kHostMacros.begin(), kHostMacros.end(),
                    [&](std::string_view macro) { return text.starts_with(macro); })) {
      refused(token, fmt::format("`{}` is a macro of the host's compiler, which a kernel may not use", text));
    }
    for (const auto reserved : kReserved) {
      if (text.starts_with(reserved)) {
        refused(token, fmt::format("the simulator reserves the name `{}`; rename it in the kernel", text));
      }
    }
  }

  // 1'000: a quote that no digit follows opens a character for the compiler.
  void number(const Token& token) const {
    for (auto quote = token.text.find('\''); quote != std::string::npos;
         quote = token.text.find('\'', quote + 1)) {
      const char next = quote + 1 < token.text.size() ? token.text[quote + 1] : '\'';
      if (!std::isalnum(static_cast<unsigned char>(next)) && next != '_') {
        refused(token, fmt::format("`{}` is not a number", token.text));
      }
    }
  }

  void punctuator(const Token& token) const {
    const auto next = following();
    const std::string_view text = token.text;
    bool digraph = text == ":" && next.starts_with('>');
    digraph |= text == "%" && (next.starts_with(':') || next.starts_with('>'));
    digraph |= text == "<" && (next.starts_with('%') || (next.starts_with(':') && !opens_global_name()));
    if (digraph) refused(token, fmt::format("digraphs, as `{}{}`, are not supported", text, next));
    // It would splice lines when the compiler reads the text.
    if (text == "\\") refused(token, "a `\\` outside of strings is not supported");
  }

  // `<::name`: C++ reads "<" and "::" here.
  bool opens_global_name() const {
    if (following() != "::" || at_ + 2 >= text_.tokens.size()) return false;
    const auto& then = text_.tokens[at_ + 2].text;
    return !then.starts_with(':') && !then.starts_with('>');
  }

  const TokenText& text_;
  const Folders& folders_;
  std::size_t at_ = 0;
};

}  // namespace

void refuse_foreign_text(const std::string& preprocessed, const device::KernelSource& source,
                         const fs::path& stdlib) {
  const auto text = tokenize(preprocessed, source.path.string());
  ForeignText(text, Folders(source, stdlib)).refuse();
}

}  // namespace assay::metal
