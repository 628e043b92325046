#include "harness/verify/shown.hpp"

#include <fmt/format.h>

namespace assay {
namespace {

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

/// Bytes of the control character that begins at `i`; 0 where none does.
std::size_t control_at(std::string_view text, std::size_t i) {
  const unsigned byte = byte_at(text, i);
  if (byte < 0x20 || byte == 0x7F) return 1;
  const bool second_set = byte == 0xC2 && i + 1 < text.size() && byte_at(text, i + 1) < 0xA0;
  return second_set ? 2 : 0;
}

bool continues(unsigned byte) { return (byte & 0xC0) == 0x80; }

}  // namespace

bool has_control(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (control_at(text, i) != 0) return true;
  }
  return false;
}

std::string shown(std::string_view text, std::size_t most) {
  std::size_t end = text.size();
  if (end > most) {
    end = most;
    while (end > 0 && continues(byte_at(text, end))) --end;
  }
  std::string out;
  for (std::size_t i = 0; i < end;) {
    const std::size_t bytes = control_at(text, i);
    for (std::size_t b = 0; b < bytes; ++b) out += fmt::format("\\x{:02x}", byte_at(text, i + b));
    if (bytes == 0) out += text[i];
    i += bytes == 0 ? 1 : bytes;
  }
  return end < text.size() ? out + "..." : out;
}

}  // namespace assay
