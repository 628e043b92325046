#include "harness/verify/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <new>

namespace assay {
namespace {

constexpr std::size_t kLongestWord = 300;   // in a message
constexpr std::size_t kLongestLine = 4000;  // all of it
constexpr std::size_t kKeptBefore = 120, kKeptAfter = 80;
constexpr std::size_t kWidestColumn = 60;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The character of UTF-8 that `text` begins with: its bytes, and its code. Where there is none, one byte and
/// its value with `valid` false.
struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
  bool valid = true;
};

Character first_of(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {1, lead, false};
  std::uint32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return {1, lead, false};
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[bytes] || code > 0x10FFFF || surrogate) return {1, lead, false};
  return {bytes, code, true};
}

// Those that no terminal shows but may obey, or that let a line read otherwise than it is written.
bool commands(std::uint32_t code) {
  if (code == '\n' || code == '\t') return false;
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool turns = (code >= 0x200E && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                     (code >= 0x2066 && code <= 0x2069);
  return control || turns;
}

// The middle of a text that is too long left out, between characters.
std::string shortened(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t before = std::min(kKeptBefore, longest), after = text.size() - std::min(kKeptAfter, longest);
  while (before > 0 && continues(text[before])) --before;
  while (after < text.size() && continues(text[after])) ++after;
  return fmt::format("{}...[{} bytes]...{}", text.substr(0, before), text.size(), text.substr(after));
}

}  // namespace

std::string printable(std::string_view text, std::size_t longest) {
  std::string shown, word;
  const auto end_word = [&] {
    shown += shortened(word, longest);
    word.clear();
  };
  while (!text.empty()) {
    const Character next = first_of(text);
    if (!next.valid || commands(next.code)) {
      word += next.code < 0x100 ? fmt::format("\\x{:02x}", next.code) : fmt::format("\\u{:04x}", next.code);
    } else if (next.code == ' ' || next.code == '\n' || next.code == '\t') {
      end_word();
      shown += static_cast<char>(next.code);
    } else {
      word += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  end_word();
  return shown;
}

std::string printable_line(std::string_view message) {
  std::string line(message.substr(0, message.find_last_not_of("\n ") + 1));
  std::replace(line.begin(), line.end(), '\n', ' ');
  return shortened(printable(line, kLongestWord), kLongestLine);
}

std::string words_of(const std::exception& error) {
  if (const auto* files = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    return fmt::format("{}: {}", files->path1().string(), files->code().message());
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "there is not enough memory";
  return error.what();
}

std::size_t column_width(std::size_t at_least, std::string_view name) {
  return std::max(at_least, std::min(name.size(), kWidestColumn));
}

}  // namespace assay
