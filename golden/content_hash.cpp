#include "golden/content_hash.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "golden/safetensors_format.hpp"

namespace assay::golden {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

bool is_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::uint64_t place_of_hash(const InputFile& file, const Header& header) {
  const std::string key(kHashKey);
  const auto value = header.metadata.find(key);
  if (value == header.metadata.end()) file.fail("metadata " + key + ": missing");
  if (value->second.size() != kHashDigits ||
      !std::all_of(value->second.begin(), value->second.end(), is_digit)) {
    file.fail(fmt::format("metadata {}: {} is not {} lowercase hexadecimal digits", key,
                          escaped(value->second), kHashDigits));
  }
  std::string text(static_cast<std::size_t>(header.data_at), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  // No string of JSON holds a bare quotation mark, so this is the key itself.
  const std::string start = fmt::format("\"{}\":\"{}\"", key, value->second);
  const std::size_t found = text.find(start, kLengthBytes);
  if (found == std::string::npos)
    file.fail(fmt::format("metadata {}: must stand in the header as {} without spaces", key, start));
  return found + start.size() - 1 - kHashDigits;
}

std::string content_hash(const InputFile& file, const Header& header) {
  const std::uint64_t place = place_of_hash(file, header);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, file.size())));
  for (std::uint64_t at = 0; at < file.size();) {
    const auto bytes = std::span(piece).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), file.size() - at)));
    file.read(at, bytes);
    const std::uint64_t first = std::max(at, place), last = std::min(at + bytes.size(), place + kHashDigits);
    for (std::uint64_t i = first; i < last; ++i) bytes[static_cast<std::size_t>(i - at)] = std::byte{'0'};
    XXH3_128bits_update(state.get(), bytes.data(), bytes.size());
    at += bytes.size();
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

void check_hash(const InputFile& file, const Header& header) {
  const std::string found = content_hash(file, header);
  const std::string& stated = header.metadata.at(std::string(kHashKey));
  if (found != stated) {
    file.fail(fmt::format("metadata {}: is {}, the file's bytes give {}: the file is damaged; make it again",
                          kHashKey, stated, found));
  }
}

}  // namespace assay::golden
