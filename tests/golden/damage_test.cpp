// Files that were damaged at random: each is refused, whatever the damage is and wherever it lies.
#include <gmock/gmock.h>

#include <random>

#include "golden/check_file.hpp"
#include "golden/golden_case.hpp"
#include "properties/cases/operation.hpp"
#include "tests/golden/folder.hpp"

namespace assay::golden {
namespace {

/// Fourteen operations: 10,010 damages in all.
constexpr int kDamages = 715;

class RandomDamage : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Operations, RandomDamage, testing::ValuesIn(properties::operation_names()),
                         [](const auto& info) { return info.param; });

/// Bytes that are not what they were.
std::string damaged(const std::string& whole, std::mt19937_64& random) {
  std::string bytes = whole;
  const auto at = [&](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  switch (random() % 8) {
    case 0:  // one bit
    case 1:
      bytes[at(bytes.size())] ^= static_cast<char>(1 << (random() % 8));
      break;
    case 2:  // one bit of the length and the beginning of the header
      bytes[at(64)] ^= static_cast<char>(1 << (random() % 8));
      break;
    case 3:  // cut short
      bytes.resize(at(bytes.size()));
      break;
    case 4:  // more bytes
      bytes.append(1 + at(100), static_cast<char>(random()));
      break;
    case 5: {  // a stretch overwritten
      const std::size_t begin = at(bytes.size()), end = std::min(bytes.size(), begin + 1 + at(64));
      for (std::size_t i = begin; i < end; ++i) bytes[i] = static_cast<char>(random());
      break;
    }
    case 6: {  // a digit of the header, so that it stays JSON
      const std::size_t begin = at(bytes.size() / 2);
      const std::size_t digit = bytes.find_first_of("0123456789", begin);
      if (digit != std::string::npos)
        bytes[digit] = static_cast<char>('0' + (bytes[digit] - '0' + 1 + at(9)) % 10);
      break;
    }
    case 7: {  // two stretches exchanged
      const std::size_t length = 1 + at(32), a = at(bytes.size() - length), b = at(bytes.size() - length);
      for (std::size_t i = 0; i < length; ++i) std::swap(bytes[a + i], bytes[b + i]);
      break;
    }
  }
  return bytes;
}

TEST_P(RandomDamage, IsRefused) {
  const Folder folder;
  const auto file = make_drawn(GetParam(), 5, 4, folder.path()).written[3];
  const std::string whole = bytes_of(file);
  std::mt19937_64 random(std::hash<std::string>()(GetParam()));
  for (int i = 0; i < kDamages;) {
    const std::string bytes = damaged(whole, random);
    if (bytes == whole) continue;  // what was overwritten was the same
    ++i;
    write_bytes(file, bytes);
    std::string said;
    try {
      differences_of(file, Solve::nothing);
    } catch (const FormatError& refused) {
      said = refused.what();
    }
    ASSERT_NE(said, "") << "damage " << i << " is accepted";
    ASSERT_EQ(said.find('\n'), std::string::npos) << said;
    ASSERT_THROW(read_case(file), FormatError) << "damage " << i;
  }
  write_bytes(file, whole);
  EXPECT_EQ(differences_of(file, Solve::all), std::vector<std::string>());
}

}  // namespace
}  // namespace assay::golden
