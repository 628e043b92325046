#include "harness/metal/clang/host_words.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace assay::metal {
namespace {

using Words = std::set<std::string_view>;

const Words& attributes() {
  static const Words kAttributes = {
      // Calls and functions.
      "always_inline", "noinline", "flatten", "const", "pure", "nothrow", "noreturn", "hot", "cold", "used",
      "unused", "maybe_unused", "overloadable", "internal_linkage", "convergent", "noduplicate", "nodebug",
      "artificial", "minsize", "optnone", "enable_if", "diagnose_if", "not_tail_called", "nomerge",
      // Types and memory.
      "packed", "aligned", "ext_vector_type", "vector_size", "may_alias", "transparent_union",
      "assume_aligned", "enum_extensibility", "flag_enum", "no_unique_address", "noescape", "nonnull",
      "returns_nonnull", "address_space",
      // Statements.
      "fallthrough", "likely", "unlikely", "unroll", "loop", "opencl_unroll_hint", "assume",
      // Remarks.
      "deprecated", "unavailable", "availability", "warn_unused_result", "nodiscard", "swift_name",
      "swift_private", "objc_bridge", "suppress",
      // Metal's own in clang's spelling.
      "kernel", "host_name", "max_total_threads_per_threadgroup"};
  return kAttributes;
}

// Those that have a variant for each type: "sqrtf", "isnan", "popcountll".
const Words& builtins() {
  static const Words kOfCompiler = {"LINE",
                                    "expect",
                                    "expect_with_probability",
                                    "unreachable",
                                    "assume",
                                    "trap",
                                    "assume_aligned",
                                    "types_compatible_p",
                                    "bit_cast",
                                    "is_constant_evaluated",
                                    "offsetof",
                                    "addressof",
                                    "shuffle",
                                    "shufflevector",
                                    "convertvector",
                                    "astype",
                                    "bswap16",
                                    "bswap32",
                                    "bswap64",
                                    "add_overflow",
                                    "sub_overflow",
                                    "mul_overflow",
                                    "isnan",
                                    "isinf",
                                    "isinf_sign",
                                    "isfinite",
                                    "isnormal",
                                    "signbit",
                                    "signbitf",
                                    "fpclassify",
                                    "isless",
                                    "islessequal",
                                    "isgreater",
                                    "isgreaterequal",
                                    "islessgreater",
                                    "isunordered",
                                    "inf",
                                    "inff",
                                    "nan",
                                    "nanf",
                                    "huge_val",
                                    "huge_valf",
                                    "abs",
                                    "labs",
                                    "popcount",
                                    "popcountl",
                                    "popcountll",
                                    "clz",
                                    "clzl",
                                    "clzll",
                                    "ctz",
                                    "ctzl",
                                    "ctzll",
                                    "ffs",
                                    "ffsl",
                                    "ffsll",
                                    "parity",
                                    "parityl",
                                    "parityll",
                                    "clrsb",
                                    "clrsbl",
                                    "clrsbll"};
  return kOfCompiler;
}

// Of <metal_math>, in floats.
const Words& float_functions() {
  static const Words kFunctions = {"acos",  "acosh",    "asin",  "asinh", "atan",      "atan2", "atanh",
                                   "ceil",  "copysign", "cos",   "cosh",  "exp",       "exp10", "exp2",
                                   "fabs",  "fdim",     "floor", "fma",   "fmax",      "fmin",  "fmod",
                                   "ldexp", "log",      "log10", "log2",  "nextafter", "pow",   "rint",
                                   "round", "sin",      "sinh",  "sqrt",  "tan",       "tanh",  "trunc"};
  return kFunctions;
}

constexpr std::string_view kNoThreads = "a kernel may not use memory of the host's threads";
constexpr std::string_view kNoLibrary = "Metal has none, and it needs the host's library";

constexpr std::string_view kOfHost = "it shows which compiler reads the text, and in which mode";

constexpr std::array<std::pair<std::string_view, std::string_view>, 16> kRefused = {{
    {"__PRETTY_FUNCTION__", kOfHost},
    {"__FUNCSIG__", kOfHost},
    {"__declspec", kOfHost},
    {"thread_local", kNoThreads},
    {"__thread", kNoThreads},
    {"_Thread_local", kNoThreads},
    {"new", kNoLibrary},
    {"delete", kNoLibrary},
    {"throw", kNoLibrary},
    {"try", kNoLibrary},
    {"catch", kNoLibrary},
    {"typeid", kNoLibrary},
    {"dynamic_cast", kNoLibrary},
    {"virtual", kNoLibrary},
    {"__transaction_atomic", kNoLibrary},
    {"__transaction_relaxed", kNoLibrary},
}};

// Atomics and barriers that the checker would not see, and what C++ itself is made of.
constexpr std::array<std::string_view, 4> kRefusedPrefixes = {"__atomic_", "__sync_", "__cxa_", "__gxx_"};

}  // namespace

bool is_kernel_attribute(std::string_view name) { return attributes().contains(name); }

bool is_plain_builtin(std::string_view name) {
  if (builtins().contains(name)) return true;
  return name.ends_with('f') && float_functions().contains(name.substr(0, name.size() - 1));
}

std::string_view why_refused(std::string_view word) {
  for (const auto& [refused, why] : kRefused) {
    if (word == refused) return why;
  }
  const bool prefixed = std::any_of(kRefusedPrefixes.begin(), kRefusedPrefixes.end(),
                                    [&](std::string_view prefix) { return word.starts_with(prefix); });
  return prefixed ? "a function of the host's compiler" : std::string_view();
}

}  // namespace assay::metal
