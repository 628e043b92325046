// A kernel's text as a search for its threads reads it: which words are places of a thread, and which are
// numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/draft/kernel_reader.hpp"
#include "harness/metal/constant_expression.hpp"

namespace assay::draft {

/// A token, or several that together are a place of a thread.
struct Item {
  std::string text;                     ///< as it is written; of a place, its parameter and axis
  std::optional<std::int64_t> value{};  ///< of a number, a `constexpr` and a template's argument
  std::string place{};                  ///< the attribute of the parameter: "thread_index_in_threadgroup"
  unsigned axis = 0;                    ///< of a place
  bool word = false;

  bool is(std::string_view other) const { return text == other && place.empty(); }
  bool is_place(std::string_view attribute) const { return place == attribute; }
};

/// A text, and what is used of it.
struct LiveText {
  const metal::TokenText& text;
  const std::vector<bool>& live;
  const std::vector<Parameter>& parameters;  ///< of the kernel
  metal::TokenRange kernel;                  ///< its body: what is called by a place there is that place
  const std::map<std::string, ElementTypes::Words>& given;  ///< what template parameters stand for
};

/// `int(tid.y)`, `(ushort)tid.y`, `tid.y` and a variable that is made of it once are one item each.
std::vector<Item> items_of(const LiveText& text);

/// How many axes of a vector of positions are looked at: 0 where nothing is.
unsigned axes_used(const LiveText& text, const Parameter& position);

}  // namespace assay::draft
