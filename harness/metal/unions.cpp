#include "harness/metal/unions.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/metal/declaration.hpp"

namespace assay::metal {
namespace {

using Tokens = std::vector<Token>;

/// `struct Name : Base {`, from its key on.
struct Head {
  std::size_t key = 0;
  std::size_t last = 0;  ///< the token that a name stands behind, where there is none
  std::string name;      ///< "" of one without
};

/// What a brace holds, while it is open.
struct Braces {
  std::optional<Head> head;     ///< of a class; none of any other brace
  std::size_t open = 0;         ///< the brace
  std::size_t member = 0;       ///< where the member that is read begins
  bool has_vectors = false;     ///< its members' assignments are written out in C++
  bool is_deleted = false;      ///< so that it has none itself
  bool writes_its_own = false;  ///< the text does
  bool has_others_own = false;  ///< the text writes a member's, which a copy of bytes would leave out
};

bool is_class_key(const Token& token) { return token.is_any({"struct", "union", "class"}); }

// "half2", "packed_uchar4", "float4x4": what the library has with an assignment of its own.
bool is_vector_word(std::string_view word) {
  if (word == "vec" || word == "packed_vec" || word == "matrix") return true;
  constexpr std::string_view kPacked = "packed_";
  if (word.starts_with(kPacked)) word.remove_prefix(kPacked.size());
  for (const std::string_view type : {"bool", "char", "uchar", "short", "ushort", "int", "uint", "long",
                                      "ulong", "half", "float", "bfloat"}) {
    if (!word.starts_with(type)) continue;
    const auto rest = word.substr(type.size());
    const auto is_length = [](char c) { return '2' <= c && c <= '4'; };
    if (rest.size() == 1 && is_length(rest[0])) return true;
    if (rest.size() == 3 && is_length(rest[0]) && rest[1] == 'x' && is_length(rest[2])) return true;
  }
  return false;
}

class Unions {
 public:
  explicit Unions(TokenText& text) : tokens_(text.tokens) {}

  void run() {
    std::map<std::size_t, Head> heads;  // by brace
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is_class_key(tokens_[i])) read_head(i, heads);
      if (tokens_[i].is("typedef") || tokens_[i].is("using")) read_alias(i);
      if (tokens_[i].is("{")) {
        const auto head = heads.find(i);
        open_.push_back({head == heads.end() ? std::nullopt : std::optional(head->second), i, i + 1});
      } else if (tokens_[i].is("}") && !open_.empty()) {
        const Braces closed = open_.back();
        open_.pop_back();
        if (closed.head) {
          close(closed, i);
        } else if (!open_.empty() && !is(next(i), ";") && !is(next(i), ",")) {
          open_.back().member = i + 1;  // behind the body of a function
        }
      } else if (tokens_[i].is("operator") && is(next(i), "=") && !open_.empty()) {
        open_.back().writes_its_own = true;
      } else if (tokens_[i].is(";") && !open_.empty() && open_.back().head) {
        read_member(open_.back(), i);
      }
    }
  }

 private:
  std::size_t next(std::size_t i) const { return next_significant(tokens_, i); }
  std::size_t previous(std::size_t i) const { return previous_significant(tokens_, i); }
  bool is(std::size_t i, std::string_view text) const { return i < tokens_.size() && tokens_[i].is(text); }
  bool is_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].is_word(); }

  // Behind `alignas(...)`, `__attribute__((...))` and `[[...]]`.
  std::size_t behind_attributes(std::size_t i) const {
    for (;;) {
      if (i >= tokens_.size()) return i;
      const auto end = attribute_end(tokens_, i);
      const bool is_word = tokens_[i].is_any({"alignas", "__attribute__", "__attribute"});
      if (!end && (!is_word || !is(next(i), "("))) return i;
      i = end ? next(*end - 1) : next(closing_bracket(tokens_, next(i)));
    }
  }

  // Is there a class at `key`, and not only its name?
  void read_head(std::size_t key, std::map<std::size_t, Head>& heads) const {
    const auto before = previous(key);
    if (is(before, "enum") || is(before, "<") || is(before, ",")) return;
    Head head{key, key, {}};
    auto i = behind_attributes(next(key));
    while (is_word(i) && !is(i, "final")) {
      head.name = tokens_[i].text;
      i = behind_attributes(next(i));
      if (is(i, "<")) i = next(closing_angle(tokens_, i));
      if (!is(i, "::")) break;
      i = next(i);
    }
    if (is(i, "final")) i = next(i);
    if (head.name.empty() && i < tokens_.size()) head.last = previous(i);
    if (is(i, ":")) {
      while (i < tokens_.size() && !tokens_[i].is_any({"{", ";", ")"})) i = next(i);
    }
    if (is(i, "{")) heads.emplace(i, head);
  }

  bool is_vector(const Token& token) const {
    return token.is_word() && (is_vector_word(token.text) || vectors_.contains(token.text) ||
                               token.is_any({"ext_vector_type", "__ext_vector_type__"}));
  }

  // `typedef half2 Name;`, `using Name = half2;`: another name of a vector.
  void read_alias(std::size_t at) {
    if (tokens_[at].is("using") && !is(next(next(at)), "=")) return;
    bool vector = false, plain = true;
    std::string last, first;
    for (auto i = next(at); i < tokens_.size() && !tokens_[i].is(";"); i = next(i)) {
      if (tokens_[i].is_any({"{", "*", "&"})) return;
      vector |= is_vector(tokens_[i]);
      if (tokens_[i].is("(")) {
        const auto close = closing_bracket(tokens_, i);
        for (auto k = i; k < close && k < tokens_.size(); ++k) vector |= is_vector(tokens_[k]);
        i = std::min(close, tokens_.size() - 1);
      } else if (tokens_[i].is_word() && !tokens_[i].is("__attribute__")) {
        if (first.empty()) first = tokens_[i].text;
        if (plain) last = tokens_[i].text;
      }
    }
    if (vector) vectors_.insert(tokens_[at].is("using") ? first : last);
  }

  // The member that ends with the ";" at `end`.
  void read_member(Braces& around, std::size_t end) const {
    bool vector = false, others_own = false, value = true;
    for (std::size_t i = around.member; i < end; ++i) {
      if (tokens_[i].is_any({"*", "&", "static", "typedef", "using", "friend", "operator", "}"}))
        value = false;
      vector |= is_vector(tokens_[i]);
      others_own |= tokens_[i].is_word() && own_.contains(tokens_[i].text);
    }
    around.member = end + 1;
    around.has_vectors |= vector && value;
    around.has_others_own |= others_own && value;
  }

  void close(const Braces& closed, std::size_t end) {
    const bool is_union = tokens_[closed.head->key].is("union");
    const bool is_deleted = closed.is_deleted || (is_union && closed.has_vectors);
    const auto behind = behind_attributes(next(end));
    const bool is_part = closed.head->name.empty() && is(behind, ";");  // its members are its surroundings'
    Braces* const around = open_.empty() || !open_.back().head ? nullptr : &open_.back();
    const bool is_member = is_part || (!is(behind, ";") && !is(previous(closed.head->key), "typedef"));
    if (around != nullptr) {
      around->has_vectors |= is_member && closed.has_vectors;
      around->has_others_own |= is_part && closed.has_others_own;
      around->is_deleted |= is_part && is_deleted;
      around->member = behind;
    }
    if (is_part) return;
    const std::string alias = typedef_name(closed, behind);
    for (const auto& name : {closed.head->name, alias}) {
      if (!name.empty() && closed.has_vectors) vectors_.insert(name);
      if (!name.empty() && closed.writes_its_own) own_.insert(name);
    }
    if (is_deleted && !closed.writes_its_own && !closed.has_others_own) assign(closed, alias);
  }

  void assign(const Braces& closed, const std::string& alias) {
    std::string name = closed.head->name;
    if (name.empty()) {
      name = alias.empty() ? fmt::format("assay_unnamed_{}", closed.open) : alias;
      tokens_[closed.head->last].after += " " + name;
    }
    const std::string assignment = fmt::format(
        "{0}& operator=(const {0}& other) {{ assay_msl::copy_object(this, &other); return *this; }}", name);
    const bool is_class = tokens_[closed.head->key].is("class");
    tokens_[closed.open].after += is_class ? "public: " + assignment + " private: " : assignment;
  }

  // `Name` of `typedef struct {...} Name;`, or "".
  std::string typedef_name(const Braces& closed, std::size_t behind) const {
    const bool plain = is(previous(closed.head->key), "typedef") && is_word(behind);
    const auto after = plain ? behind_attributes(next(behind)) : behind;
    return plain && (is(after, ";") || is(after, ",")) ? tokens_[behind].text : std::string();
  }

  Tokens& tokens_;
  std::vector<Braces> open_;
  std::set<std::string> vectors_;  ///< types that are vectors, or have some among their members
  std::set<std::string> own_;      ///< types for which the text writes an assignment
};

}  // namespace

void assign_unions(TokenText& text) { Unions(text).run(); }

}  // namespace assay::metal
