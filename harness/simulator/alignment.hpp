// What address an access asks for, by the type that it names (Apple's Metal Shading Language
// Specification 3.2, tables 2.2 to 2.4).
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::simulator {

/// The type behind a pointer, as the compiler's own check of alignment names it.
struct PointedTo {
  /// `name` in g++'s words: 'const float', 'struct half4'. `alignment` is the language's.
  PointedTo(std::string_view name, std::uint32_t alignment);

  std::string_view name;  ///< without g++'s additions: "float", "half4"
  /// What is asked for here: of a vector or matrix no more than of its elements, as GPUs do it; of a struct,
  /// which may hold vectors, at most 4.
  std::uint32_t alignment;
};

}  // namespace assay::simulator
