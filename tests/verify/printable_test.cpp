// What others wrote reaches a terminal as text: names of kernels were passed on with their escape sequences,
// and whole.
#include "harness/verify/printable.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Printable, ShowsWhatWouldCommandTheTerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\x07\x7f", 100), "a\\x1b[31mb\\x07\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b\r", 4), 100), "a\\x00b\\x0d");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m",
                      100),
            "\\x9b31m");  // the one-character form of ESC [
  EXPECT_EQ(printable("gnp.\xE2\x80\xAEtxt", 100), "gnp.\\u202etxt");
}

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", "one two\n\tthree\n",
                           "Stra\xC3\x9F"
                           "e \xE6\xBC\xA2 \xF0\x9F\x98\x80"}) {
    EXPECT_EQ(printable(text, 100), text);
  }
}

TEST(Printable, ShowsBytesThatAreNoText) {
  EXPECT_EQ(printable("\xFF\xC3(\xC0\xAF\xED\xA0\x80\xF5", 100), "\\xff\\xc3(\\xc0\\xaf\\xed\\xa0\\x80\\xf5");
  EXPECT_EQ(printable("\xE2\x82", 100), "\\xe2\\x82");  // cut short
}

TEST(Printable, CutsAWordThatNobodyReads) {
  const std::string shown = printable("kernel " + std::string(100'000, 'k') + " is none", 300);
  EXPECT_LT(shown.size(), 300u);
  EXPECT_THAT(shown, HasSubstr("[100000 bytes]"));
  EXPECT_THAT(shown, testing::EndsWith("k is none"));
}

RC_GTEST_PROP(PrintableProperty, HoldsNoControlAndNoLongWordWhateverItIsGiven, (std::string text)) {
  const std::string shown = printable(text, 50);
  std::size_t word = 0;
  for (const char c : shown) {
    word = c == ' ' || c == '\n' || c == '\t' ? 0 : word + 1;
    RC_ASSERT(word <= 50 + 120 + 80 + 40);
    const auto byte = static_cast<unsigned char>(c);
    RC_ASSERT(byte >= 0x20 || c == '\n' || c == '\t');
    RC_ASSERT(byte != 0x7F);
  }
  RC_ASSERT(printable(shown, shown.size() + 1) == shown);  // it is text by now
}

TEST(WordsOf, AnErrorOfTheFileSystemIsThePathAndTheReason) {
  const std::filesystem::filesystem_error error("cannot do", "some/path",
                                                std::make_error_code(std::errc::not_a_directory));
  EXPECT_EQ(words_of(error), "some/path: Not a directory");
}

}  // namespace
}  // namespace assay
