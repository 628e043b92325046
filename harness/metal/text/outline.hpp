// What clang tells of a kernel's text: which kernels it has, what one of them uses, what its parameters lead
// to, which numbers it names, and how it finds a thread's share of the work.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/memory_shape.hpp"

namespace assay::metal {

/// A component of a parameter that says which thread, or threadgroup, this is; however it was converted, and
/// behind whatever name a variable or a function's parameter gave it.
struct ThreadPlace {
  std::string attribute = {};  ///< "thread_position_in_grid"; "" of what is none
  std::string text = {};       ///< "tid.y"
  unsigned axis = 0;
};

/// A parameter of the kernel.
struct OutlinedParameter {
  std::string name = {};  ///< "parameter 3" if it has none
  bool named = false;
  std::string written = {};    ///< its type, as the text has it, without attributes: "device const half4*"
  std::string attribute = {};  ///< "buffer", "thread_position_in_grid", ...; "" if there is none
  bool pointer = false;        ///< it is one, or a reference
  bool reference = false;
  bool read_only = false;    ///< nothing can be written through it
  bool constant = false;     ///< in the constant address space
  bool threadgroup = false;  ///< in the threadgroup address space
  bool atomic = false;       ///< what it leads to is
  bool open_array =
      false;              ///< what it leads to is a struct of one array that goes on: `shape` is its element
  bool indexed = false;   ///< as an array of more than one
  bool pointers = false;  ///< what it leads to holds some, or is one
  unsigned components = 0;       ///< of a number or a vector of them
  unsigned used_components = 0;  ///< of these, up to the last that the kernel looks at
  std::uint32_t line = 0;
  device::MemoryShape shape = {};  ///< of what a pointer or a reference leads to
};

/// A function constant that the kernel uses.
struct OutlinedConstant {
  std::uint32_t index = 0;
  std::string name = {}, type = {};
  bool asked = false;  ///< whether it is defined
  /// Whole numbers that it is compared with, each once, in order.
  std::vector<std::int64_t> compared = {};
};

/// Whole numbers that a name stands for: one, or the components of a vector.
struct NamedNumbers {
  std::string name = {};
  std::vector<std::int64_t> values = {};
};

/// `for (variable = place * each; ...; variable += by)`
struct OutlinedStride {
  std::string variable = {};
  ThreadPlace place = {};
  std::int64_t each = 1;
  std::string by = {};        ///< as it is written; of a field, its name
  std::int64_t by_value = 0;  ///< 0: not known
  bool by_scalar = false;     ///< what a launch passes
};

/// `of * number + place`, in any order.
struct OutlinedBegin {
  ThreadPlace place = {}, of_place = {};
  std::string of = {}, number = {};
  std::int64_t value = 0;
};

/// An array in threadgroup memory, and which places choose its elements.
struct OutlinedArray {
  std::string name = {};
  std::vector<std::int64_t> sides = {};
  bool of_simdgroups = false;  ///< a slot for each: `x[simdgroup]`, `x[thread / 32]`
  std::vector<std::pair<unsigned, ThreadPlace>> chosen_by = {};  ///< which side, and the place
};

/// What the words of a text are, all by bytes of the text, ascending; ranges are from, and up to.
struct Syntax {
  using Bytes = std::vector<std::uint32_t>;
  using Ranges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  Ranges bodies = {};  ///< of functions, with their braces
  Ranges closed =
      {};  ///< what makes another program when it changes: parameters of templates and kernels, ...
  Ranges statements = {};  ///< those that declare nothing, up to their ";"
  Ranges conditions = {};  ///< of statements, and what stands ahead of "?"
  Bytes operators = {};    ///< between two operands
  Bytes calls = {};        ///< the ")" behind arguments
  Bytes subscripts = {};   ///< the "]" behind an index
  Bytes lists = {};        ///< the "{" of values
  Bytes unset = {};        ///< the ";" behind a variable that begins with no value
};

/// A text, as one of its kernels uses it.
struct Outline {
  std::vector<std::string> kernels = {};  ///< as hosts call them: functions, then instantiations, in order
  /// From, and up to, bytes of the text: what the kernel uses.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> used = {};
  std::vector<OutlinedParameter> parameters = {};
  std::vector<OutlinedConstant> constants = {};
  /// Constants and template arguments that it uses, vectors that the text declares, and macros of which all
  /// numbers are used: the preprocessor leaves no more of them.
  std::vector<NamedNumbers> named = {};
  std::vector<OutlinedStride> strides = {};
  std::vector<OutlinedBegin> begins = {};
  std::vector<OutlinedArray> arrays = {};
  bool waits = false;          ///< at a threadgroup_barrier
  bool in_simdgroups = false;  ///< it calls a function of simdgroups
  Syntax syntax = {};          ///< where it was asked for
};

}  // namespace assay::metal
