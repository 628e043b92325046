// What address an access asks for, by the type that it names (Apple's Metal Shading Language
// Specification 3.2, tables 2.2 to 2.4).
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::simulator {

/// The type behind a pointer, as the compiler's own check of alignment names it.
struct PointedTo {
  /// `name` in a compiler's words: 'const float', 'struct half4', 'half4' (aka 'vec<half, 4>').
  /// `alignment` is the language's; `of_class`: a class, whether the name says so or not.
  PointedTo(std::string_view name, std::uint32_t alignment, bool of_class = false);

  std::string_view name;  ///< without additions: "float", "half4"
  /// What is asked for here: of a vector or matrix no more than of its elements, as GPUs do it; of a struct,
  /// which may hold vectors, at most 4.
  std::uint32_t alignment;
};

}  // namespace assay::simulator
