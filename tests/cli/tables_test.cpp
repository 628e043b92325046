// Tables that the program reads besides manifests: what is wrong in one is one line with file, line and
// field.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "harness/mutate/equivalents.hpp"
#include "harness/profile/document_claims.hpp"
#include "harness/run/manifests.hpp"
#include "harness/verify/shown.hpp"
#include "tests/error_of.hpp"

namespace assay::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Tables : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("assay-tables-{}-{}", testing::UnitTest::GetInstance()->current_test_info()->name(),
                          getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  /// Refused at this line and field.
  void expect_refused(const std::string& said, int line, const std::string& field,
                      const std::string& part) const {
    EXPECT_THAT(said, StartsWith(fmt::format("{}:{}: {}", (folder_ / "t.toml").string(), line, field)));
    EXPECT_THAT(said, HasSubstr(part));
    EXPECT_FALSE(assay::has_control(said)) << said;
  }

  std::filesystem::path folder_;
};

/// Every line of a right table with each of these in the place of its value.
struct Wrong {
  std::string value, part;
};

std::string replaced(const std::string& text, const std::string& key, const std::string& value) {
  std::string out = text;
  const auto at = out.find("\n" + key + " = ") + key.size() + 4;
  return out.replace(at, out.find('\n', at) - at, value);
}

int line_of(const std::string& text, const std::string& key) {
  return 2 +
         static_cast<int>(std::count(
             text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("\n" + key + " = ")), '\n'));
}

const std::string kClaims = R"(
[[document]]
name = "000"
title = "about"
[[document.figure]]
section = "1"
of = "threads"
kernel = "k"
against = "other"
says = 128
within = 0.5
unit = "bytes"
note = "none"
measured = "threads - against.threads"
at = { K = 64 }
)";

TEST_F(Tables, FiguresOfDocuments) {
  const auto said = [&](const std::string& text) {
    const auto file = write("t.toml", text);
    return error_of<ManifestError>([&] { profile::read_document_claims(file); });
  };
  EXPECT_EQ(said(kClaims), "no error");
  for (const char* key :
       {"name", "title", "section", "of", "kernel", "says", "within", "unit", "note", "measured", "at"}) {
    for (const char* value : {"[]", "true", "1979-05-27", "\"\"", "\"\\u0000\"", "nan"}) {
      expect_refused(said(replaced(kClaims, key, value)), line_of(kClaims, key), "", key);
    }
  }
  expect_refused(said(replaced(kClaims, "within", "-0.5")), 11, "figure.within",
                 "is -0.5; write a number from 0 on");
  expect_refused(said(replaced(kClaims, "says", "[4, 2]")), 10, "figure.says", "has the larger number first");
  expect_refused(said(replaced(kClaims, "says", "[1, 2, 3]")), 10, "figure.says",
                 "is not a pair [least, most]");
  expect_refused(said(replaced(kClaims, "at", "{ K = 0 }")), 15, "figure.at.K", "from 1 to");
  expect_refused(said(replaced(kClaims, "measured", "\"threads\"")), 9, "figure.against", "is not used");
  expect_refused(said(replaced(kClaims, "measured", "\"ceil(threads)\"")), 14, "figure.measured",
                 "is applied to a whole number");
  expect_refused(said(kClaims + "colour = 1\n"), 16, "figure.colour", "is not a field");
  std::string without = kClaims;
  without.erase(without.find("against = "), std::string("against = \"other\"\n").size());
  expect_refused(said(without), 13, "figure.measured", "add the field against");
  expect_refused(said("kernel = 1\n" + kClaims), 1, "kernel", "is not a field");
  EXPECT_THAT(error_of<ManifestError>([&] { profile::read_document_claims(folder_); }),
              HasSubstr("is a directory"));
}

const std::string kEquivalents = R"(
[[equivalent]]
kernels = ["k"]
file = "k.metal"
line = "x = 1;"
becomes = ["x = 2;", ""]
reason = "It is not read."
)";

TEST_F(Tables, EquivalentMutants) {
  const auto said = [&](const std::string& text) {
    const auto file = write("t.toml", text);
    return error_of<ManifestError>([&] { mutate::Equivalents::read(file); });
  };
  EXPECT_EQ(said(kEquivalents), "no error");
  for (const char* key : {"kernels", "file", "line", "becomes", "reason"}) {
    for (const char* value : {"7", "true", "1979-05-27", "[7]", "{ x = 1 }"}) {
      expect_refused(said(replaced(kEquivalents, key, value)), line_of(kEquivalents, key), "equivalent.",
                     key);
    }
    std::string without = kEquivalents;
    const auto at = without.find(std::string("\n") + key + " = ") + 1;
    without.erase(at, without.find('\n', at) - at);
    if (std::string(key) != "kernels") expect_refused(said(without), 2, std::string("equivalent.") + key, "");
  }
  for (const char* key : {"file", "reason"}) {
    expect_refused(said(replaced(kEquivalents, key, "\"\"")), line_of(kEquivalents, key), "equivalent.",
                   "is empty");
    expect_refused(said(replaced(kEquivalents, key, "\"\\u0000\"")), line_of(kEquivalents, key),
                   "equivalent.", "control");
  }
  expect_refused(said(replaced(kEquivalents, "becomes", "[]")), 2, "equivalent.becomes", "is missing");
  expect_refused(said(replaced(kEquivalents, "becomes", "[\"a\", \"a\"]")), 6, "equivalent.becomes",
                 "lists a text twice");
  expect_refused(said(kEquivalents + "allowance = -1\n"), 8, "equivalent.allowance", "is not a field");
  expect_refused(said("equivalent = 3\n"), 1, "equivalent", "write a list");
  expect_refused(said("equivalent = [3]\n"), 1, "equivalent", "write [[equivalent]]");
  expect_refused(said("[[equivalents]]\n"), 1, "equivalents", "is not a field");
  expect_refused(said("[[equivalent]\n"), 1, "syntax", "");
}

// A fault in one entry is the error of those who ask for that kernel, or for all.
TEST_F(Tables, AFaultyEntryBlocksOnlyItself) {
  write("k.metal", "kernel void good() {}");
  const auto entry = [](const std::string& name, const std::string& more) {
    return fmt::format(
        "[[kernel]]\nname = \"{}\"\nsource = \"k.metal\"\noperation = \"gemm_fp4\"\n"
        "arguments = [\"A\", \"B\", \"scales\", \"C\"]\nthreads_per_threadgroup = 32\n{}\n",
        name, more);
  };
  const auto file = write("t.toml", entry("good", "grid = [1, 1, 1]") + entry("unread", "grid = [1, 1]") +
                                        entry("unknown", "grid = [\"Q\", 1, 1]"))
                        .string();
  EXPECT_EQ(run::load_manifest(file, {"good"}).at(0).name, "good");
  const auto said = [&](const std::vector<std::string>& names) {
    return error_of<std::runtime_error>([&] { run::load_manifest(file, names); });
  };
  expect_refused(said({}), 14, "grid", "has 2 sizes");
  expect_refused(said({"good", "unread"}), 14, "grid", "has 2 sizes");
  expect_refused(said({"unknown"}), 21, "grid[0]", "Q is no scalar");
  EXPECT_THAT(said({"gone"}),
              HasSubstr("no kernel `gone` in " + file + "; there are: good, unread, unknown"));
  // Who forgot --manifest was told of kernels that he does not know.
  EXPECT_THAT(error_of<std::runtime_error>([] { run::load_manifest(std::nullopt, {"gone"}); }),
              HasSubstr("kernels.toml, the manifest of Assay's own kernels (--manifest FILE names another); "
                        "there are: dequant_fp4, "));
  EXPECT_LT(said({std::string(100000, 'x')}).size(), 1000u);
  EXPECT_FALSE(assay::has_control(said({"\x1b[2J"})));
}

}  // namespace
}  // namespace assay::cli
