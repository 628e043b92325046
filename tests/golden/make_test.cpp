// Golden sets: the same request gives the same bytes, and nothing can be changed in one without being named.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include "golden/answers.hpp"
#include "golden/golden_case.hpp"
#include "properties/cases/operation.hpp"
#include "tests/golden/folder.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class Generated : public ::testing::Test {
 protected:
  Folder folder_;
  const fs::path& root_ = folder_.path();

  static std::vector<fs::path> files_of(std::string_view operation, std::uint64_t seed, std::uint64_t cases,
                                        const fs::path& directory) {
    return make_drawn(std::string(operation), seed, cases, directory).written;
  }

  /// All that check() finds: what differs, then what cannot be read.
  static std::vector<std::string> findings(const fs::path& directory) {
    auto found = check_all(directory);
    found.differing.insert(found.differing.end(), found.unreadable.begin(), found.unreadable.end());
    return found.differing;
  }

  /// What check() says of a set of four in which one file was changed.
  std::vector<std::string> check_after(const std::function<void(Dataset&)>& change) {
    const auto files = files_of("gemm_fp4", 1, 4, root_ / "changed");
    Dataset dataset = read_safetensors(files[2]);
    change(dataset);
    write_safetensors(files[2], dataset);
    return findings(root_ / "changed");
  }

  static Tensor& tensor(Dataset& dataset, std::string_view name) {
    for (Tensor& one : dataset.tensors) {
      if (one.name == name) return one;
    }
    throw std::out_of_range(std::string(name));
  }
};

TEST_F(Generated, SameSeedSameBytesAndNothingToReport) {
  for (const std::string& operation : properties::operation_names()) {
    const auto once = files_of(operation, 5, 15, root_ / operation / "a");
    const auto again = files_of(operation, 5, 15, root_ / operation / "b");
    ASSERT_EQ(once.size(), 15U);
    for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(bytes_of(once[i]), bytes_of(again[i])) << once[i];
    EXPECT_THAT(findings(root_ / operation / "a"), IsEmpty());
    EXPECT_NE(bytes_of(once[14]), bytes_of(files_of(operation, 6, 15, root_ / operation / "c")[14]));
  }
}

TEST_F(Generated, ReadsBackAsTheProblemAndWhatIsRightForIt) {
  for (const std::string& name : properties::operation_names()) {
    const properties::Operation& operation = properties::find_operation(name);
    for (const fs::path& file : files_of(name, 2, 20, root_ / name)) {
      const properties::Case described =
          properties::parse_line(metadata_of(read_safetensors(file).metadata, "case"));
      const GoldenCase golden = read_case(file);
      const Problem problem = operation.make_problem(described);
      ASSERT_EQ(golden.problem.inputs.size(), problem.inputs.size());
      for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
        EXPECT_EQ(golden.problem.inputs[i].name, problem.inputs[i].name);
        EXPECT_EQ(golden.problem.inputs[i].data, problem.inputs[i].data);
      }
      const Expectation expected = operation.expect(problem, {})[0];
      const Expectation& stored = golden.expectations.at(0);
      EXPECT_EQ(stored.tensor, expected.tensor);
      EXPECT_EQ(stored.signed_zero, expected.signed_zero);
      EXPECT_EQ(stored.bound, expected.bound);
      ASSERT_EQ(stored.value.size(), expected.value.size());
      const auto same = [](double a, double b) {
        return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
      };
      for (std::size_t i = 0; i < expected.value.size(); ++i) {
        // Kept as float32; where the result is a value of the type, as that.
        const auto kept = static_cast<float>(expected.value[i]);
        EXPECT_TRUE(same(static_cast<float>(stored.value[i]), kept) || same(stored.value[i], kept))
            << file << " value " << i;
        EXPECT_TRUE(same(stored.low[i], expected.low[i])) << file << " low " << i;
        EXPECT_TRUE(same(stored.high[i], expected.high[i])) << file << " high " << i;
      }
    }
  }
}

TEST_F(Generated, NanIsStoredAlikeWhateverItsSign) {
  const auto stored = [](double nan) {
    const Expectation expected{
        .tensor = "C", .value = {nan}, .low = {nan}, .high = {nan}, .signed_zero = false, .bound = ""};
    return tensors_of(expected, {"C", DType::f16, {1}}, kept_of(expected)).at(0).data;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(stored(nan), stored(std::copysign(nan, -1.0)));
}

TEST_F(Generated, FilesAreSmallEnoughForTheTree) {
  std::uintmax_t total = 0;
  for (const fs::path& file : files_of("gemm_fp4", 1, 24, root_)) total += fs::file_size(file);
  EXPECT_LT(total, 3U << 20);
}

TEST_F(Generated, ChangesAreNamedByFileAndField) {
  const std::string file = "gemm_fp4-1-0002.safetensors: ";
  const auto one = [&](const std::string& text) {
    return ElementsAre(AllOf(HasSubstr(file), HasSubstr(text)));
  };
  EXPECT_THAT(check_after([](Dataset&) {}), IsEmpty());
  EXPECT_THAT(check_after([](Dataset& d) { tensor(d, "A").data[5] ^= std::byte{1}; }),
              one("tensor A: element 2"));
  EXPECT_THAT(check_after([](Dataset& d) { tensor(d, "B").name = "packed"; }),
              ElementsAre(HasSubstr("tensor \"packed\": not part"), HasSubstr("tensor B: missing")));
  EXPECT_THAT(check_after([](Dataset& d) { std::swap(tensor(d, "A").shape[0], tensor(d, "A").shape[1]); }),
              one("tensor A: type or shape"));
  EXPECT_THAT(check_after([](Dataset& d) { d.metadata["notes"] = "other"; }), one("metadata notes"));
  EXPECT_THAT(check_after([](Dataset& d) { d.metadata.erase("case"); }), one("metadata case: missing"));
  EXPECT_THAT(check_after([](Dataset& d) { d.metadata["author"] = "x"; }), one("metadata author"));
  EXPECT_THAT(check_after([](Dataset& d) { d.metadata["case"] += " K=1"; }), one("metadata case: is"));
  EXPECT_THAT(check_after([](Dataset& d) { d.metadata["covers"] += "\nmore"; }), one("metadata covers: is"));
}

TEST_F(Generated, ForeignMetadataIsNamed) {
  const auto said = [&](const char* key, const char* value) {
    return check_after([&](Dataset& d) { d.metadata[key] = value; });
  };
  EXPECT_THAT(said("source", "somebody"), ::testing::Contains(HasSubstr("metadata source")));
  EXPECT_THAT(said("format", "1"), ::testing::Contains(HasSubstr("metadata format")));
  EXPECT_THAT(said("operation", "gemm_fp5"), ::testing::Contains(HasSubstr("gemm_fp5")));
  EXPECT_THAT(said("cases", "1x"),
              ::testing::Contains(HasSubstr("metadata cases: \"1x\" is not a whole number of 64 bits")));
  EXPECT_THAT(said("request", "operation=gemm_fp5 seed=1"), ::testing::Contains(HasSubstr("gemm_fp5")));
  EXPECT_THAT(said("request", "operation=gemm_fp4 seed=1 cases=5"),
              ::testing::Contains(HasSubstr("metadata cases")));
  EXPECT_THAT(said("index", "4"), ::testing::Contains(HasSubstr("metadata index")));
}

TEST_F(Generated, MissingMisnamedAndCutFilesAreNamed) {
  const auto files = files_of("dequantize_fp4", 3, 5, root_);
  fs::remove(files[1]);
  EXPECT_THAT(findings(root_),
              ElementsAre(HasSubstr("dequantize_fp4-3-0001.safetensors: missing; the set has 4 of 5")));
  fs::rename(files[2], files[1]);
  EXPECT_THAT(findings(root_),
              ElementsAre(HasSubstr("0001.safetensors: name: must be dequantize_fp4-3-0002.safetensors"),
                          HasSubstr("0001.safetensors: missing")));
  fs::resize_file(files[0], 100);
  EXPECT_THAT(findings(root_), ::testing::Contains(HasSubstr("0000.safetensors")));
  EXPECT_THAT(findings(root_ / "nowhere"),
              ElementsAre(HasSubstr("nowhere: cannot be read as a directory: No such file or directory")));
  fs::create_directory(root_ / "empty");
  EXPECT_THAT(findings(root_ / "empty"), ElementsAre(HasSubstr("has no *.safetensors file")));
}

TEST_F(Generated, BadFilesAreRefusedByFieldWhenRead) {
  const fs::path file = files_of("gemm_fp4", 1, 5, root_)[3];
  const Dataset right = read_safetensors(file);
  const auto refused = [&](const std::function<void(Dataset&)>& spoil, const char* field) {
    Dataset dataset = right;
    spoil(dataset);
    write_safetensors(file, dataset);
    EXPECT_THAT([&] { read_case(file); },
                ThrowsMessage<FormatError>(AllOf(HasSubstr(file.string()), HasSubstr(field))));
  };
  refused([](Dataset& d) { tensor(d, "A").name = "a"; }, "tensor A: missing");
  refused([](Dataset& d) { d.metadata.erase("case"); }, "metadata case: missing");
  refused(
      [](Dataset& d) { d.metadata["case"] = "operation=gemm_fp4 M=1 N=1 K=1 group_size=8 regime=x seed=1"; },
      "A: has shape");
  refused([](Dataset& d) { d.metadata["accumulate"] = "quad"; }, "quad");
  refused([](Dataset& d) { d.metadata["operation"] = "gemm_fp5"; }, "gemm_fp5");
  refused(
      [](Dataset& d) {
        std::swap(tensor(d, "expected.C.low").shape[0], tensor(d, "expected.C.low").shape[1]);
        tensor(d, "expected.C.low").dtype = DType::u16;
      },
      "expected.C.low");
}

TEST_F(Generated, BadArgumentsAreNamed) {
  EXPECT_THAT([&] { make_drawn("gemm_fp4", 1, 0, root_); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("cases")));
  EXPECT_THAT([&] { make_drawn("gemm_fp5", 1, 1, root_); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("gemm_fp5")));
}

}  // namespace
}  // namespace assay::golden
