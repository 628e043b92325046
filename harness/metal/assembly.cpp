#include "harness/metal/assembly.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace assay::metal {
namespace {

constexpr std::array<std::string_view, 12> kLeftOut = {".file",    ".text",  ".data",   ".bss",
                                                       ".section", ".globl", ".hidden", ".weak",
                                                       ".p2align", ".align", ".ident",  ".local"};

bool in_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$';
}

std::string_view first_word(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && in_symbol(text[end])) ++end;
  return text.substr(0, end);
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return line;
}

// A function, an object or a constant: its lines, labels among them.
using Chunk = std::vector<std::string_view>;

}  // namespace

// A listing cut into chunks.
class Listing {
 public:
  explicit Listing(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      take(trimmed(text.substr(0, end)));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  bool runs_when_loaded() const { return runs_when_loaded_; }
  const Chunk& chunk(std::size_t index) const { return chunks_[index]; }

  /// The chunk in which a symbol or a label is defined.
  std::optional<std::size_t> owner(std::string_view name) const {
    for (auto alias = aliases_.find(name); alias != aliases_.end(); alias = aliases_.find(name))
      name = alias->second;
    const auto found = owners_.find(name);
    if (found == owners_.end()) return std::nullopt;
    return found->second;
  }

 private:
  void take(std::string_view line) {
    if (line.empty() || line.front() == '#') return;
    const auto word = first_word(line);
    if (line.substr(word.size()).starts_with(":")) {
      // Objects end with the next label; functions, within which tables and labels lie, where their size is
      // taken.
      const bool alone = chunks_.empty() || chunks_.back().empty() || !chunks_.back().back().ends_with(":");
      if (!in_function_) {
        if (alone) chunks_.emplace_back();
        in_function_ = functions_.contains(word);
      }
      owners_[word] = chunks_.size() - 1;
    } else if (word == ".size") {
      in_function_ = false;
      return;
    } else if (word == ".type") {
      if (line.ends_with("@function")) functions_.insert(first_word(trimmed(line.substr(word.size()))));
      return;
    } else if (word == ".comm") {
      const auto name = first_word(trimmed(line.substr(word.size())));
      chunks_.push_back({line.substr(line.find(',') + 1)});
      owners_[name] = chunks_.size() - 1;
      in_function_ = false;
      return;
    } else if (word == ".set") {
      const auto name = first_word(trimmed(line.substr(word.size())));
      aliases_[name] = first_word(trimmed(line.substr(line.find(',') + 1)));
      return;
    } else {
      runs_when_loaded_ |=
          line.find(".init_array") != std::string_view::npos || line.find(".ctors") != std::string_view::npos;
      for (const auto left_out : kLeftOut) {
        if (word == left_out) return;
      }
    }
    if (!chunks_.empty()) chunks_.back().push_back(line);
  }

  std::vector<Chunk> chunks_;
  std::map<std::string_view, std::size_t> owners_;
  std::map<std::string_view, std::string_view> aliases_;
  std::set<std::string_view> functions_;
  bool in_function_ = false, runs_when_loaded_ = false;
};

namespace {

class Canonical {
 public:
  explicit Canonical(const Listing& listing) : listing_(listing) {}

  std::string of(const std::vector<std::string>& roots) {
    for (const auto& root : roots) (void)number(root);
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      for (const auto line : listing_.chunk(queue_[next])) take(line);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  // Records that the loader reads name their variant last.
  void take(std::string_view line) {
    const auto word = first_word(line);
    if (word == ".pushsection") in_record_ = true;
    if (word == ".popsection") {
      if (const auto last = out_.rfind(".long"); in_record_ && last != std::string::npos) out_.resize(last);
      in_record_ = false;
    }
    bool quoted = false;
    for (std::size_t at = 0; at < line.size();) {
      const auto name = quoted ? std::string_view() : first_word(line.substr(at));
      if (name.empty()) {
        quoted ^= line[at] == '"' && (at == 0 || line[at - 1] != '\\');
        out_ += line[at++];
        continue;
      }
      at += name.size();
      out_ += listing_.owner(name) ? "@" + std::to_string(number(name)) : std::string(name);
    }
    out_ += '\n';
  }

  std::size_t number(std::string_view name) {
    const auto [known, added] = numbers_.try_emplace(name, numbers_.size());
    if (const auto owner = listing_.owner(name); added && owner && queued_.try_emplace(*owner).second) {
      queue_.push_back(*owner);
    }
    return known->second;
  }

  const Listing& listing_;
  std::map<std::string_view, std::size_t> numbers_;
  std::map<std::size_t, bool> queued_;
  std::vector<std::size_t> queue_;
  std::string out_;
  bool in_record_ = false;
};

}  // namespace

Assembly::Assembly(std::string_view text) : listing_(std::make_unique<Listing>(text)) {}

Assembly::~Assembly() = default;

std::string Assembly::canonical(const std::vector<std::string>& roots) const {
  if (listing_->runs_when_loaded()) return {};
  for (const auto& root : roots) {
    if (!listing_->owner(root)) return {};
  }
  return Canonical(*listing_).of(roots);
}

std::set<std::string> Assembly::names_outside(const std::vector<std::string>& roots) const {
  std::set<std::string> outside;
  std::set<std::size_t> met;
  std::vector<std::size_t> open;
  const auto meet = [&](std::string_view name) {
    if (const auto owner = listing_->owner(name); !owner) {
      outside.emplace(name);
    } else if (met.insert(*owner).second) {
      open.push_back(*owner);
    }
  };
  for (const auto& root : roots) meet(root);
  while (!open.empty()) {
    const std::size_t next = open.back();
    open.pop_back();
    for (auto line : listing_->chunk(next)) {
      while (!line.empty()) {
        const auto name = first_word(line);
        if (!name.empty()) meet(name);
        line.remove_prefix(std::max<std::size_t>(1, name.size()));
      }
    }
  }
  return outside;
}

}  // namespace assay::metal
