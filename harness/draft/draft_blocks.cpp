// Structs whose members are pointers, and what these lead to: argument buffers.
#include "harness/draft/drafting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace assay::draft {

std::string Drafting::block(const std::vector<StructMember>& members, std::size_t size, std::size_t number,
                            bool as_buffer) {
  std::vector<std::string> fields;
  std::vector<MeasuredArgument::Field> measured;
  std::size_t end = 0;
  const auto is_scalar = [](const StructMember& one) { return one.kind == StructMember::Kind::scalar; };
  as_buffer |= !std::all_of(members.begin(), members.end(), is_scalar);
  for (const StructMember& member : members) {
    if (member.kind == StructMember::Kind::filler) {
      filler(end, member.offset + member.size - end, fields);  // with what lies before it
      end = member.offset + member.size;
      guess(fmt::format("{} is zeros; write a manifest for other values", member.path));
      continue;
    }
    const bool next = (end + member.size - 1) / member.size * member.size == member.offset;
    as_buffer |= !next;
    const std::string at = next ? "" : fmt::format(", at = {}", member.offset);
    end = member.offset + member.size;
    if (is_scalar(member)) {
      measured.push_back({member.offset, MeasuredArgument::Value{}, 0});
      const std::string field =
          scalar(free_name(member.path), member.scalar.type, member.scalar.whole, *measured.back().value);
      fields.push_back(next ? field : fmt::format("{{ field = {}{} }}", field, at));
    } else {
      const std::size_t leads_to = request_.arguments.size();
      measured.push_back({member.offset, std::nullopt, leads_to});
      fields.push_back(fmt::format("{{ pointer = {}{} }}", behind(member, leads_to), at));
    }
  }
  const bool pointers =
      std::any_of(members.begin(), members.end(), [](const StructMember& one) { return one.is_pointer(); });
  // A buffer with pointers ends at a multiple of 8 by itself.
  const std::size_t filled = pointers ? (end + 7) / 8 * 8 : end;
  if (as_buffer && filled < size) filler(end, size - end, fields);
  MeasuredArgument& argument = request_.arguments[number];
  argument.bound = true;
  argument.fields = std::move(measured);
  argument.size = std::max(size, end);
  return as_buffer            ? fmt::format("{{ buffer = [{}] }}", fmt::join(fields, ", "))
         : fields.size() == 1 ? fields.front()
                              : fmt::format("[{}]", fmt::join(fields, ", "));
}

void Drafting::filler(std::size_t offset, std::size_t size, std::vector<std::string>& fields) {
  constexpr std::size_t kMost = 2048;  // bytes: a buffer has 512 fields
  if (size > kMost)
    throw std::invalid_argument(fmt::format(
        "a struct with pointers has {} bytes for which a draft has no values; write a manifest", size));
  while (size > 0) {
    const std::size_t step = offset % 4 == 0 && size >= 4 ? 4 : 1;
    fields.push_back(step == 4 ? "\"=0:uint\"" : "\"=0:uchar\"");
    offset += step;
    size -= step;
  }
}

std::string Drafting::behind(const StructMember& member, std::size_t number) {
  request_.arguments.emplace_back();
  parameters_.push_back(nullptr);
  if (member.kind == StructMember::Kind::block) return block(member.members, member.block_size, number);
  Parameter& one = pointed_.emplace_back();
  one.kind = Kind::buffer;
  one.name = free_name(member.path);
  one.named = true;
  one.written = member.path;
  one.element = member.element;
  one.writable = member.writable;
  one.line = line_;
  known_names_.insert(one.name);
  parameters_.back() = &one;
  MeasuredArgument argument;
  buffer(one, argument);
  request_.arguments[number] = argument;
  return fmt::format("\"{}\"", one.name);
}

std::string Drafting::free_name(const std::string& path) const {
  std::string name = name_of_member(path, false);
  if (known_names_.contains(name)) name = name_of_member(path, true);
  while (known_names_.contains(name)) name += "_";
  return name;
}

}  // namespace assay::draft
