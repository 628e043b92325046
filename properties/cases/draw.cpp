#include "properties/cases/draw.hpp"

#include <bit>

#include "reference/half.hpp"

namespace assay::properties {
namespace {

/// FNV-1a: streams of different names must differ, nothing more.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return hash;
}

std::uint16_t sign_of(const Words& words) { return static_cast<std::uint16_t>((words[3] & 1) << 15); }

}  // namespace

Draw::Draw(std::uint64_t seed, std::string_view stream) : stream_{seed, hash_of(stream)} {}

Words Draw::words(std::uint64_t index) const { return philox(stream_, index); }

void Draw::first_words(std::uint64_t begin, std::span<std::uint32_t> first) const {
  philox_first_words(stream_, begin, first);
}

std::uint32_t below(std::uint32_t count, std::uint32_t word) {
  return static_cast<std::uint32_t>((std::uint64_t{word} * count) >> 32);
}

std::int64_t between(std::int64_t low, std::int64_t high, std::uint32_t word) {
  return low + static_cast<std::int64_t>(below(static_cast<std::uint32_t>(high - low + 1), word));
}

std::uint16_t ordinary_half(int low, int high, const Words& words) {
  const auto exponent = static_cast<unsigned>(between(low + 15, high + 15, words[0]));
  return static_cast<std::uint16_t>(sign_of(words) | exponent << 10 | (words[1] & 0x3FF));
}

std::uint16_t power_of_two_half(int low, int high, const Words& words) {
  const auto exponent = static_cast<int>(between(low, high, words[0]));
  const unsigned bits = exponent >= -14 ? static_cast<unsigned>(exponent + 15) << 10 : 1U << (exponent + 24);
  return static_cast<std::uint16_t>(sign_of(words) | bits);
}

std::uint16_t integer_half(int limit, const Words& words) {
  return reference::half_from_double(static_cast<double>(between(-limit, limit, words[0])));
}

std::uint16_t bounded_half(std::uint16_t largest, const Words& words) {
  return static_cast<std::uint16_t>(sign_of(words) | below(std::uint32_t{largest} + 1, words[0]));
}

float normal_float(int low, int high, const Words& words) {
  const auto exponent = static_cast<std::uint32_t>(between(low + 127, high + 127, words[0]));
  return std::bit_cast<float>((words[3] & 1) << 31 | exponent << 23 | (words[1] & 0x7FFFFF));
}

}  // namespace assay::properties
