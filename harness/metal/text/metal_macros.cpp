#include "harness/metal/text/metal_macros.hpp"

#include <array>
#include <string_view>

namespace assay::metal {
namespace {

// Of C++17, without exceptions, run-time types and memory of threads: clang's names of what Metal has.
constexpr std::array<std::string_view, 46> kFeatures = {"cxx_access_control_sfinae",
                                                        "cxx_aggregate_nsdmi",
                                                        "cxx_alias_templates",
                                                        "cxx_alignas",
                                                        "cxx_alignof",
                                                        "cxx_atomic",
                                                        "cxx_attributes",
                                                        "cxx_auto_type",
                                                        "cxx_binary_literals",
                                                        "cxx_constexpr",
                                                        "cxx_contextual_conversions",
                                                        "cxx_decltype",
                                                        "cxx_decltype_auto",
                                                        "cxx_decltype_incomplete_return_types",
                                                        "cxx_default_function_template_args",
                                                        "cxx_defaulted_functions",
                                                        "cxx_delegating_constructors",
                                                        "cxx_deleted_functions",
                                                        "cxx_explicit_conversions",
                                                        "cxx_generalized_initializers",
                                                        "cxx_generic_lambdas",
                                                        "cxx_implicit_moves",
                                                        "cxx_inheriting_constructors",
                                                        "cxx_init_captures",
                                                        "cxx_inline_namespaces",
                                                        "cxx_lambdas",
                                                        "cxx_local_type_template_args",
                                                        "cxx_noexcept",
                                                        "cxx_nonstatic_member_init",
                                                        "cxx_nullptr",
                                                        "cxx_override_control",
                                                        "cxx_range_for",
                                                        "cxx_raw_string_literals",
                                                        "cxx_reference_qualified_functions",
                                                        "cxx_relaxed_constexpr",
                                                        "cxx_return_type_deduction",
                                                        "cxx_rvalue_references",
                                                        "cxx_static_assert",
                                                        "cxx_strong_enums",
                                                        "cxx_trailing_return",
                                                        "cxx_unicode_literals",
                                                        "cxx_unrestricted_unions",
                                                        "cxx_user_literals",
                                                        "cxx_variable_templates",
                                                        "cxx_variadic_templates",
                                                        "attribute_deprecated_with_message"};

}  // namespace

std::vector<std::string> metal_macros() {
  std::vector<std::string> options = {
      "-D__METAL__=1", "-D__METAL_VERSION__=320", "-D__METAL_MACOS__=1", "-D__HAVE_BFLOAT__=1",
      "-D__cplusplus=201703L", "-D__FLT_MAX__=3.402823466e+38f", "-U_GNU_SOURCE",
      // An unknown name counts as 0 behind `#if`.
      "-D__has_feature(x)=__assay_has_##x", "-D__has_extension(x)=__assay_has_##x",
      // clang would answer for the host. Texts that ask have another way.
      "-D__has_builtin(x)=0",
      // The same whenever it is compiled.
      "-D__DATE__=\"Jan  1 2000\"", "-D__TIME__=\"00:00:00\"",
      "-D__TIMESTAMP__=\"Sat Jan  1 00:00:00 2000\""};
  for (const auto feature : kFeatures) options.push_back("-D__assay_has_" + std::string(feature) + "=1");
  return options;
}

}  // namespace assay::metal
