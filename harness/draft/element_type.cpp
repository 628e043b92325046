#include "harness/draft/element_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace assay::draft {
namespace {

using metal::Declaration;
using metal::DeclarationKind;
using Words = ElementTypes::Words;

/// Types that lead to types, and structs in structs: more is no text that anybody wrote.
constexpr int kDeepest = 16;

struct Row {
  std::string_view metal, type, scalar;  // as tensors are declared, and as scalars are
  std::size_t bytes;
};
// A manifest's tensors have no 64-bit types: such an element is two of `uint`.
constexpr std::array<Row, 30> kRows = {{{"half", "half", "", 2},
                                        {"float", "float", "float", 4},
                                        {"bfloat", "bfloat", "", 2},
                                        {"bfloat16_t", "bfloat", "", 2},
                                        {"float16_t", "half", "", 2},
                                        {"char", "char", "char", 1},
                                        {"int8_t", "char", "char", 1},
                                        {"signed char", "char", "char", 1},
                                        {"uchar", "uchar", "uchar", 1},
                                        {"uint8_t", "uchar", "uchar", 1},
                                        {"unsigned char", "uchar", "uchar", 1},
                                        {"bool", "bool", "uchar", 1},
                                        {"short", "short", "short", 2},
                                        {"int16_t", "short", "short", 2},
                                        {"ushort", "ushort", "ushort", 2},
                                        {"uint16_t", "ushort", "ushort", 2},
                                        {"unsigned short", "ushort", "ushort", 2},
                                        {"int", "int", "int", 4},
                                        {"int32_t", "int", "int", 4},
                                        {"uint", "uint", "uint", 4},
                                        {"uint32_t", "uint", "uint", 4},
                                        {"unsigned", "uint", "uint", 4},
                                        {"unsigned int", "uint", "uint", 4},
                                        {"long", "uint", "long", 8},
                                        {"int64_t", "uint", "long", 8},
                                        {"ptrdiff_t", "uint", "long", 8},
                                        {"ulong", "uint", "ulong", 8},
                                        {"uint64_t", "uint", "ulong", 8},
                                        {"size_t", "uint", "ulong", 8},
                                        {"unsigned long", "uint", "ulong", 8}}};

const Row* row_of(std::string_view name) {
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.metal == name; });
  return found == kRows.end() ? nullptr : &*found;
}

bool is_whole(std::string_view type) { return type != "float" && type != "half" && type != "bfloat"; }

ElementType scalar_type(const Row& row) {
  ElementType found;
  found.type = row.type;
  found.type_bytes = std::min<std::size_t>(row.bytes, 4);
  found.wide = row.bytes == 8;
  if (found.wide) found.inner = {2};
  found.size = found.align = row.bytes;
  if (!row.scalar.empty()) found.scalars = {{"", std::string(row.scalar), is_whole(row.type)}};
  return found;
}

/// `count` of them, one behind the other; vectors of three take the room of four unless packed.
ElementType vector_of(const ElementType& one, std::size_t count, bool packed) {
  if (one.type.empty() || one.scalars.size() > 1) return {};
  ElementType found = one;
  const std::size_t places = count == 3 && !packed ? 4 : count;
  found.inner.insert(found.inner.begin(), places);
  found.size = one.size * places;
  found.align = packed ? one.align : found.size;
  found.scalars.clear();
  if (one.scalars.size() == 1 && count <= 4 && !packed) {
    for (std::size_t i = 0; i < count; ++i) {
      found.scalars.push_back(one.scalars.front());
      found.scalars.back().name = std::string(1, "xyzw"[i]);
      found.scalars.back().offset = i * one.size;
    }
  }
  return found;
}

bool is_space_or_qualifier(const std::string& word) {
  static const std::array<std::string_view, 13> kWords = {
      "device",     "constant",     "threadgroup", "thread", "const",  "volatile", "restrict",
      "__restrict", "__restrict__", "metal",       "::",     "struct", "typename"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

std::string joined(const Words& words) {
  std::string all;
  for (const auto& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

/// 1 as a half or a bfloat: of these a manifest passes the bits.
std::string bits_of_one(const std::string& type) { return type == "half" ? "15360" : "16256"; }

std::size_t number_in(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 7 &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits ? std::stoul(text) : 0;
}

}  // namespace

ElementTypes::ElementTypes(const metal::TokenText& text, const std::vector<Declaration>& declarations)
    : text_(text) {
  for (const Declaration& d : declarations) {
    if (d.kind == DeclarationKind::type && !d.name.empty()) records_[d.name] = &d;
    if (d.kind == DeclarationKind::function) continue;
    Words words = metal::words_in(text.tokens, {d.header, d.range.end});
    if (!words.empty() && words.back() == ";") words.pop_back();
    if (words.size() >= 4 && words[0] == "using" && words[2] == "=") {
      aliases_[words[1]] = Words(words.begin() + 3, words.end());
    } else if (words.size() >= 3 && words[0] == "typedef") {
      if (d.body && !d.names.empty()) {  // typedef struct { ... } Name;
        for (const auto& name : d.names) records_.try_emplace(name, &d);
      } else {
        // The name stands last, or before an attribute that stands last.
        const auto attribute = std::find(words.begin(), words.end(), "__attribute__");
        const auto name = words.back() == ")" && attribute != words.end() ? attribute - 1 : words.end() - 1;
        const std::string alias = *name;
        words.erase(name);
        aliases_[alias] = Words(words.begin() + 1, words.end());
      }
    }
  }
}

ElementType ElementTypes::find(const Words& words, const std::map<std::string, Words>& given) const {
  return resolve(words, given, 0);
}

ElementType ElementTypes::resolve(Words words, const std::map<std::string, Words>& given, int depth) const {
  if (depth > kDeepest) return {};
  std::erase_if(words, is_space_or_qualifier);
  if (words.empty()) return {};
  if (const Row* row = row_of(joined(words))) return scalar_type(*row);
  const std::string& name = words.front();
  // atomic<T>, vec<T, n>, array<T, n>
  if (words.size() >= 4 && words[1] == "<" && words.back() == ">") {
    const auto comma = std::find(words.begin() + 2, words.end(), ",");
    const bool list = comma != words.end();
    ElementType inner = resolve(Words(words.begin() + 2, list ? comma : words.end() - 1), given, depth + 1);
    if (name == "atomic" && !list) {
      inner.atomic = true;
      return inner;
    }
    if (!list || words.end() - comma != 3) return {};
    Words count = {*(comma + 1)};
    if (const auto told = given.find(count[0]); told != given.end()) count = told->second;
    const std::size_t n = count.size() == 1 ? number_in(count[0]) : 0;
    if (n == 0) return {};
    if (name == "vec") return vector_of(inner, n, false);
    if (name == "array") return vector_of(inner, n, true);
    return {};
  }
  if (words.size() != 1) return {};
  if (const auto told = given.find(name); told != given.end() && told->second != words)
    return resolve(told->second, given, depth + 1);
  if (name.starts_with("atomic_")) {
    ElementType inner = resolve({name.substr(7)}, given, depth + 1);
    inner.atomic = true;
    return inner;
  }
  const bool packed = name.starts_with("packed_");
  const std::string base = packed ? name.substr(7, name.size() - 8) : name.substr(0, name.size() - 1);
  if (const Row* row = row_of(base); row != nullptr && name.back() >= '2' && name.back() <= '4')
    return vector_of(scalar_type(*row), static_cast<std::size_t>(name.back() - '0'), packed);
  if (const auto alias = aliases_.find(name); alias != aliases_.end()) {
    Words meant = alias->second;  // typedef half half8 __attribute__((ext_vector_type(8)));
    std::size_t lanes = 0;
    for (std::size_t i = 0; i + 2 < meant.size(); ++i) {
      if (meant[i] == "ext_vector_type") lanes = number_in(meant[i + 2]);
    }
    const auto attribute = std::find(meant.begin(), meant.end(), "__attribute__");
    if (attribute != meant.end()) {
      meant.erase(attribute, meant.end());
    }
    const ElementType one = resolve(meant, given, depth + 1);
    return lanes == 0 ? one : vector_of(one, lanes, false);
  }
  if (const auto found = records_.find(name); found != records_.end())
    return record(*found->second, given, depth + 1);
  return {};
}

ElementType ElementTypes::record(const Declaration& declared, const std::map<std::string, Words>& given,
                                 int depth) const {
  ElementType whole;
  if (!declared.body || declared.template_header.end > declared.template_header.begin) return {};
  if (auto element = of_open_array(declared, given, depth)) return *element;
  for (const Declaration& member : metal::members_of(text_, declared)) {
    if (member.kind == DeclarationKind::function) continue;
    if (add_member(whole, member, given, depth)) continue;
    ElementType unknown;
    unknown.pointers = whole.pointers;
    return unknown;
  }
  if (whole.size == 0) return {};
  whole.size = (whole.size + whole.align - 1) / whole.align * whole.align;
  whole.type = "uchar";
  whole.type_bytes = 1;
  whole.inner = {whole.size};
  // One that is no scalar has no name: then nothing of it can be passed field by field.
  if (std::any_of(whole.scalars.begin(), whole.scalars.end(),
                  [](const Scalar& one) { return one.name.empty(); }))
    whole.scalars.clear();
  return whole;
}

std::optional<ElementType> ElementTypes::of_open_array(const Declaration& declared,
                                                       const std::map<std::string, Words>& given,
                                                       int depth) const {
  const auto members = metal::members_of(text_, declared);
  if (members.size() != 1 || members.front().kind == DeclarationKind::function ||
      members.front().names.size() != 1)
    return std::nullopt;
  Words words = metal::words_in(text_.tokens, {members.front().header, members.front().range.end});
  if (!words.empty() && words.back() == ";") words.pop_back();
  const auto name = std::find(words.begin(), words.end(), members.front().names.front());
  const Words extent(name == words.end() ? name : name + 1, words.end());
  if (extent != Words{"[", "1", "]"} && extent != Words{"[", "]"}) return std::nullopt;
  ElementType element = resolve(Words(words.begin(), name), given, depth);
  if (element.type.empty() || element.pointers) return std::nullopt;
  element.of_struct = true;
  return element;
}

void ElementTypes::add_scalars(ElementType& whole, const ElementType& one, const std::string& name,
                               std::size_t offset) {
  if (one.scalars.empty()) {  // none that a launch can pass by value, but perhaps one whose bits it can
    const bool half = one.inner.empty() && one.type_bytes == 2 && !one.atomic;
    whole.scalars.push_back({half ? name : "", "ushort", false, offset, half ? bits_of_one(one.type) : ""});
    return;
  }
  const auto taken = [&](const std::string& field) {
    return std::any_of(whole.scalars.begin(), whole.scalars.end(),
                       [&](const Scalar& other) { return other.name == field; });
  };
  for (const Scalar& inner : one.scalars) {
    Scalar field = inner;
    field.offset += offset;
    const bool vector = one.type != "uchar" || inner.name.size() == 1;
    field.name = inner.name.empty()            ? name
                 : vector || taken(inner.name) ? name + "_" + inner.name
                                               : inner.name;
    whole.scalars.push_back(std::move(field));
  }
}

bool ElementTypes::add_member(ElementType& whole, const Declaration& member,
                              const std::map<std::string, Words>& given, int depth) const {
  Words words = metal::words_in(text_.tokens, {member.header, member.range.end});
  if (words.empty()) return true;
  if (words.front() == "static" || words.front() == "using" || words.front() == "typedef") return true;
  // An access specifier is part of what follows it.
  while (words.size() > 2 && words[1] == ":" && (words[0] == "public" || words[0] == "private"))
    words.erase(words.begin(), words.begin() + 2);
  if (words.back() == ";") words.pop_back();
  const bool pointer = std::any_of(words.begin(), words.end(),
                                   [](const std::string& word) { return word == "*" || word == "&"; });
  whole.pointers |= pointer;
  if (member.names.empty() || pointer) return false;
  const auto first = std::find(words.begin(), words.end(), member.names.front());
  if (first == words.end()) return false;
  const ElementType one = resolve(Words(words.begin(), first), given, depth);
  whole.pointers |= one.pointers;
  if (one.type.empty()) return false;
  for (const std::string& name : member.names) {
    auto at = std::find(first, words.end(), name);
    if (at == words.end()) return false;
    std::size_t count = 1;
    bool array = false;
    for (++at; at + 2 < words.end() && *at == "["; at += 3) {
      array = true;
      count *= number_in(*(at + 1));
      if (count == 0 || count > 4096 || *(at + 2) != "]") return false;
    }
    whole.align = std::max(whole.align, one.align);
    whole.size = (whole.size + one.align - 1) / one.align * one.align + one.size * count;
    const std::size_t begin = whole.size - one.size * count;
    for (std::size_t i = 0; i < count; ++i)
      add_scalars(whole, one, array ? name + "_" + std::to_string(i) : name, begin + i * one.size);
  }
  return true;
}

}  // namespace assay::draft
