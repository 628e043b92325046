// Kernels and properties of kernels as googletest tests. Link assay::gtest, and GTest::gtest_main or a main
// of yours.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "assay/assay.hpp"
#include "assay/property.hpp"

namespace assay::detail {

/// A relative path is looked for beside the source file that names it, so that tests run from any folder;
/// where the compiler was given that file by a relative path, from the folder that tests run in.
inline std::filesystem::path beside(const char* source_file, const std::filesystem::path& path) {
  if (path.is_absolute()) return path;
  const auto near = std::filesystem::path(source_file).parent_path() / path;
  return std::filesystem::exists(near) ? near : path;
}

class KernelTest : public testing::Test {
 public:
  KernelTest(std::filesystem::path manifest, std::string kernel, VerifyOptions options)
      : manifest_(std::move(manifest)), kernel_(std::move(kernel)), options_(std::move(options)) {}

 private:
  void TestBody() override { EXPECT_TRUE(verify(load_manifest(manifest_)[kernel_], options_)); }

  std::filesystem::path manifest_;
  std::string kernel_;
  VerifyOptions options_;
};

class FailingTest : public testing::Test {
 public:
  explicit FailingTest(std::string why) : why_(std::move(why)) {}
  void TestBody() override { FAIL() << why_; }

 private:
  std::string why_;
};

/// A test to be registered, by its name in the suite.
struct KernelTestPlan {
  std::string name;
  std::function<testing::Test*()> make;
};

/// A test for each kernel and mode; one that fails for a manifest that cannot be read. Reads names only:
/// operations may not have registered themselves yet.
inline std::vector<KernelTestPlan> plan_kernel_tests(const std::filesystem::path& manifest,
                                                     const VerifyOptions& options) try {
  std::vector<KernelTestPlan> planned;
  for (const auto& name : kernel_names(manifest)) {
    for (const Mode mode : {Mode::fast, Mode::checked}) {
      if (options.mode && *options.mode != mode) continue;
      auto in_mode = options;
      in_mode.mode = mode;
      planned.push_back({name + "/" + std::string(run::name_of(mode)),
                         [=]() -> testing::Test* { return new KernelTest(manifest, name, in_mode); }});
    }
  }
  return planned;
} catch (const std::exception& error) {
  return {
      {"manifest", [why = std::string(error.what())]() -> testing::Test* { return new FailingTest(why); }}};
}

inline bool register_kernel_tests(const char* suite, const char* file, int line,
                                  const std::filesystem::path& manifest, const VerifyOptions& options = {}) {
  for (const auto& [name, make] : plan_kernel_tests(beside(file, manifest), options)) {
    testing::RegisterTest(suite, name.c_str(), nullptr, nullptr, file, line, make);
  }
  return true;
}

/// As rapidcheck's checkGTest(), with the place of the property in place of rapidcheck's own.
inline void check_property(const char* file, int line, const std::filesystem::path& manifest,
                           const std::string& kernel, void (*property)(Run&)) {
  const Kernel found = load_manifest(beside(file, manifest))[kernel];
  const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.description = test->name();
  metadata.id = std::string(test->test_suite_name()) + "/" + test->name();
  const auto result = rc::detail::checkTestable(
      [&] {
        Run run(found);
        property(run);
      },
      metadata);
  std::ostringstream said;
  rc::detail::printResultMessage(result, said);
  if (!result.template is<rc::detail::SuccessResult>()) {
    ADD_FAILURE_AT(file, line) << said.str();
  } else if (!result.template get<rc::detail::SuccessResult>().distribution.empty()) {
    std::cout << said.str() << std::endl;
  }
}

}  // namespace assay::detail

/// ASSAY_KERNEL_TESTS(Suite, "kernels.toml"[, VerifyOptions]): a googletest for each kernel of a manifest and
/// each of the modes fast and checked, named Suite.KERNEL/MODE.
#define ASSAY_KERNEL_TESTS(suite, ...)                            \
  [[maybe_unused]] static const bool assay_kernel_tests_##suite = \
      ::assay::detail::register_kernel_tests(#suite, __FILE__, __LINE__, __VA_ARGS__)

/// ASSAY_PROPERTY(Suite, Name, "kernels.toml", "kernel", (assay::Run& run)) { ... }: a googletest that tries
/// the body on problems which rapidcheck draws (RC_PARAMS says how many) and shrinks.
#define ASSAY_PROPERTY(suite, name, manifest, kernel, parameters)                                            \
  static void assay_property_##suite##_##name parameters;                                                    \
  TEST(suite, name) {                                                                                        \
    ::assay::detail::check_property(__FILE__, __LINE__, manifest, kernel, &assay_property_##suite##_##name); \
  }                                                                                                          \
  static void assay_property_##suite##_##name parameters
