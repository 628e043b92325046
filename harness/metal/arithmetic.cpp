#include "harness/metal/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "harness/metal/sums.hpp"

namespace assay::metal {
namespace {

// What `#pragma METAL fp` says at a place.
struct Rules {
  bool contract = true;
  bool reassociate = true;
};

class Arithmetic {
 public:
  Arithmetic(TokenText& text, Numerics numerics) : tokens_(text.tokens), reader_(text), numerics_(numerics) {}

  void run() {
    if (numerics_ == Numerics::flushed) note_bit_fields();
    std::vector<Rules> blocks = {{}};
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const Token& token = tokens_[i];
      if (token.kind == TokenKind::directive) note(token.text, blocks.back());
      if (token.is("{")) blocks.push_back(blocks.back());
      if (token.is("}") && blocks.size() > 1) blocks.pop_back();
      if (token.is("[") && !computes_in_floats(i)) {
        i = closing_bracket(tokens_, i);
        if (i >= tokens_.size()) break;
        continue;
      }
      const Rules& rules = blocks.back();
      const bool sum = token.is("+") || token.is("-"), assigned = token.is("+=") || token.is("-=");
      const bool product = token.is("*") || token.is("/");
      if (numerics_ == Numerics::flushed) {
        if (sum || product) flush_sum(i);
        if (assigned || token.is("*=") || token.is("/=")) flush_assignment(i);
      } else if (numerics_ == Numerics::contracted && rules.contract) {
        if (sum) contract_sum(i);
        if (assigned) contract_assignment(i);
      } else if (numerics_ == Numerics::approximate) {
        if (token.is("/") && rules.reassociate) write_quotients(i, "granted_quotient");
        if (token.is("/=") && rules.reassociate) write_division(i, "divide_as_granted", "granted_quotient");
      } else if (keeps(rules)) {
        if (sum || product) keep_sum(i);
        if (assigned) keep_assignment(i);
      } else if (numerics_ == Numerics::relaxed) {
        if (token.is("/")) write_quotients(i, "by_reciprocal");
        if (token.is("/=")) write_division(i, "divide_by_reciprocal", "by_reciprocal");
      }
    }
    // Text at one place: what closes before what opens, and inner parts are written after outer ones.
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (i < behind_.size()) tokens_[i].after += behind_[i];
      if (i + 1 < before_.size()) tokens_[i].after += before_[i + 1];
    }
  }

 private:
  /// Whether an index is made of floats, which takes a conversion that is written out. Only what fast math
  /// grants is looked for there.
  bool computes_in_floats(std::size_t open) const {
    if (numerics_ != Numerics::approximate) return false;
    const auto close = closing_bracket(tokens_, open), first = next_significant(tokens_, open);
    if (close >= tokens_.size() || tokens_[first].is("[")) return false;  // an attribute
    for (std::size_t i = first; i < close; ++i) {
      if (tokens_[i].is_any(
              {"int", "uint", "short", "ushort", "char", "uchar", "long", "ulong", "static_cast"}))
        return true;
    }
    return false;
  }

  /// A whole number that divides exactly, floats too.
  bool is_power_of_two(const TokenRange& factor) const {
    if (factor.end != factor.begin + 1 || tokens_[factor.begin].kind != TokenKind::number) return false;
    const std::string& text = tokens_[factor.begin].text;
    if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return false;
    const auto value = std::strtoull(text.c_str(), nullptr, 10);
    return value != 0 && (value & (value - 1)) == 0;
  }

  /// Whether a pragma forbids what the mode does.
  bool keeps(const Rules& rules) const {
    if (numerics_ == Numerics::contracted) return !rules.contract;
    return !rules.reassociate || (numerics_ == Numerics::relaxed && !rules.contract);
  }

  static void note(const std::string& directive, Rules& rules) {
    std::string line;
    for (const char c : directive) {
      if (c != ' ' && c != '\t') line += c;
    }
    if (!line.starts_with("#pragmaMETALfp")) return;
    if (line.find("contract(off)") != line.npos) rules.contract = false;
    if (line.find("contract(on)") != line.npos || line.find("contract(fast)") != line.npos) {
      rules.contract = true;
    }
    if (line.find("math_mode(safe)") != line.npos) rules.reassociate = false;
    if (line.find("math_mode(relaxed)") != line.npos || line.find("math_mode(fast)") != line.npos) {
      rules.reassociate = true;
    }
  }

  void write_before(std::size_t i, const std::string& text) {
    before_.resize(tokens_.size());
    before_[i] = text + before_[i];
  }
  void write_behind(std::size_t end, const std::string& text) {
    behind_.resize(tokens_.size());
    behind_[end - 1] += text;
  }
  void comma(std::size_t i) { tokens_[i].rewrite(","); }

  // Left to right: what has been added up, and the next term. A product on either side is contracted.
  void contract_sum(std::size_t i) {
    if (done_.contains(i)) return;
    const auto sum = reader_.around(i);
    if (!sum) return;
    done_.insert(sum->operators.begin(), sum->operators.end());
    const std::size_t begin = sum->terms.front().begin();
    for (std::size_t n = 0; n < sum->operators.size(); ++n) {
      const std::size_t op = sum->operators[n];
      const std::string name = tokens_[op].is("+") ? "plus" : "minus";
      const Term &left = sum->terms[n], &right = sum->terms[n + 1];
      if (is_product(right)) {
        comma(right.operators.back());
        write_before(begin, "assay_msl::" + name + "_product(");
      } else if (n == 0 && is_product(left)) {
        comma(left.operators.back());
        write_before(begin, "assay_msl::product_" + name + "(");
      } else {
        continue;
      }
      comma(op);
      write_behind(right.end(), ")");
    }
  }

  // `v.xz`, `(v.even)`, `v.wx[i]`: no reference can be made of it, for what it names lies apart.
  bool is_swizzle(TokenRange target) const {
    auto last = previous_significant(tokens_, target.end);
    while (last > target.begin && tokens_[last].is_any({")", "]"})) {
      if (tokens_[last].is(")") && !tokens_[target.begin].is("(")) return false;
      const auto close = last;
      last = previous_significant(tokens_, last);
      if (tokens_[close].is(")")) continue;
      while (last > target.begin && !(tokens_[last].is("[") && closing_bracket(tokens_, last) == close))
        last = previous_significant(tokens_, last);
      last = previous_significant(tokens_, last);
    }
    if (last >= tokens_.size()) return false;
    const auto dot = previous_significant(tokens_, last);
    if (dot >= tokens_.size() || !tokens_[dot].is_any({".", "->"})) return false;
    const std::string& word = tokens_[last].text;
    const auto made_of = [&](std::size_t first, const char* letters) {
      return word.size() > first + 1 && word.find_first_not_of(letters, first) == std::string::npos;
    };
    return made_of(0, "xyzw") || made_of(0, "rgba") || tokens_[last].is_any({"even", "odd"}) ||
           (word[0] == 's' && made_of(1, "0123456789abcdefABCDEF"));
  }

  // `v.xz += ...` -> `v.xz = BEFORE v.xz BETWEEN ...`, unless that would do something twice.
  bool assign_to_swizzle(TokenRange swizzle, const std::string& before, const std::string& between) {
    for (auto i = swizzle.begin; i < swizzle.end; ++i)
      if (tokens_[i].is_any({"++", "--", "="}) || (tokens_[i].is("(") && i != swizzle.begin)) return false;
    tokens_[swizzle.end].rewrite("= " + before + text_of(tokens_, swizzle) + between);
    return true;
  }

  // x += a * b
  void contract_assignment(std::size_t i) {
    const auto begin = reader_.assigned(i);
    const auto sum = reader_.from(next_significant(tokens_, i));
    if (!begin || !sum || sum->terms.size() != 1 || !is_product(sum->terms[0]) || !is_whole(*sum)) return;
    const bool adds = tokens_[i].is("+=");
    if (is_swizzle({*begin, i})) {
      const auto call = fmt::format("assay_msl::{}_product(", adds ? "plus" : "minus");
      if (!assign_to_swizzle({*begin, i}, call, ",")) return;
    } else {
      write_before(*begin, fmt::format("assay_msl::{}_product(", adds ? "add" : "subtract"));
      comma(i);
    }
    comma(sum->terms[0].operators.back());
    write_behind(sum->terms[0].end(), ")");
  }

  // `a * b` becomes a call that knows the types of both, and so whether it is of halves.
  void flush_sum(std::size_t i) {
    if (done_.contains(i)) return;
    const auto sum = reader_.around(i);
    if (!sum) return;
    const auto call = [&](const char* name, std::size_t begin, std::size_t op, std::size_t end) {
      write_before(begin, std::string("assay_msl::flushed_") + name + "(");
      comma(op);
      write_behind(end, ")");
    };
    for (std::size_t n = 0; n < sum->terms.size(); ++n) {
      const Term& term = sum->terms[n];
      for (std::size_t k = 0; k < term.operators.size(); ++k) {
        const std::size_t op = term.operators[k];
        done_.insert(op);
        if (tokens_[op].is("%")) continue;  // of integers
        call(tokens_[op].is("*") ? "product" : "quotient", term.begin(), op, term.factors[k + 1].end);
      }
      if (n == 0) continue;
      const std::size_t op = sum->operators[n - 1];
      done_.insert(op);
      call(tokens_[op].is("+") ? "sum" : "difference", sum->terms.front().begin(), op, term.end());
    }
  }

  // `a * b / c` becomes a call on a * b and c. Products are left to the optimizer.
  void write_quotients(std::size_t i, const char* name) {
    if (done_.contains(i)) return;
    const auto sum = reader_.around(i);
    if (!sum) return;
    for (const Term& term : sum->terms) {
      for (std::size_t k = 0; k < term.operators.size(); ++k) {
        const std::size_t op = term.operators[k];
        if (!tokens_[op].is("/")) continue;
        done_.insert(op);
        if (numerics_ == Numerics::approximate && is_power_of_two(term.factors[k + 1])) continue;
        write_before(term.begin(), fmt::format("assay_msl::{}(", name));
        comma(op);
        write_behind(term.factors[k + 1].end, ")");
      }
    }
  }

  // x /= ...
  void write_division(std::size_t i, const char* name, const char* quotient) {
    const auto begin = reader_.assigned(i);
    const auto sum = reader_.from(next_significant(tokens_, i));
    if (!begin || !sum || !is_whole(*sum)) return;
    if (is_swizzle({*begin, i})) {
      if (!assign_to_swizzle({*begin, i}, fmt::format("assay_msl::{}(", quotient), ",")) return;
    } else {
      write_before(*begin, fmt::format("assay_msl::{}(", name));
      comma(i);
    }
    write_behind(sum->terms.back().end(), ")");
  }

  // x += ..., whatever is on its right: what is on its left knows how to take it.
  void flush_assignment(std::size_t i) {
    const auto begin = reader_.assigned(i);
    const auto last = previous_significant(tokens_, i);
    if (!begin || bit_fields_.contains(tokens_[last].text)) return;
    const char* const name = tokens_[i].is("+=")   ? "sum"
                             : tokens_[i].is("-=") ? "difference"
                             : tokens_[i].is("*=") ? "product"
                                                   : "quotient";
    if (is_swizzle({*begin, i}) &&
        assign_to_swizzle({*begin, i}, fmt::format("assay_msl::flushed_{}(", name), ", ("))
      return write_behind(end_of_assigned(i), "))");
    write_before(*begin, "assay_msl::flushing(");
    write_behind(last + 1, ")");
  }

  // One past what is assigned by the operator at i.
  std::size_t end_of_assigned(std::size_t i) const {
    auto last = i;
    for (auto k = next_significant(tokens_, i); k < tokens_.size(); k = next_significant(tokens_, k)) {
      if (tokens_[k].is_any({";", ",", ")", "]", "}"})) break;
      if (tokens_[k].is_any({"(", "[", "{"})) k = closing_bracket(tokens_, k);
      last = k;
    }
    return last + 1;
  }

  // `uint name : 3;`: no reference can be made of such. Other words behind a colon are none that matter.
  void note_bit_fields() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is(":")) continue;
      const auto name = previous_significant(tokens_, i), width = next_significant(tokens_, i);
      if (name >= tokens_.size() || width >= tokens_.size()) continue;
      if (tokens_[name].is_word() && tokens_[width].kind == TokenKind::number)
        bit_fields_.insert(tokens_[name].text);
    }
  }

  void keep_sum(std::size_t i) {
    if (done_.contains(i)) return;
    const auto sum = reader_.around(i);
    if (!sum) return;
    const std::size_t begin = sum->terms.front().begin();
    for (std::size_t n = 0; n < sum->terms.size(); ++n) {
      const Term& term = sum->terms[n];
      for (std::size_t k = 1; k < term.factors.size(); ++k) {
        done_.insert(term.operators[k - 1]);
        write_before(term.begin(), "assay_msl::kept(");
        write_behind(term.factors[k].end, ")");
      }
      if (term.factors.size() == 1) {
        write_before(term.begin(), "assay_msl::kept(");
        write_behind(term.end(), ")");
      }
      if (n == 0) continue;
      done_.insert(sum->operators[n - 1]);
      write_before(begin, "assay_msl::kept(");
      write_behind(term.end(), ")");
    }
  }

  void keep_assignment(std::size_t i) {
    const auto begin = reader_.assigned(i);
    const auto sum = reader_.from(next_significant(tokens_, i));
    if (!begin || !sum || !is_whole(*sum)) return;
    if (is_swizzle({*begin, i})) {
      const auto op = fmt::format(") {} (", tokens_[i].text.front());
      if (assign_to_swizzle({*begin, i}, "assay_msl::kept(", op)) write_behind(sum->terms.back().end(), ")");
    } else {
      write_before(*begin, "assay_msl::kept_in_place(");
      write_behind(previous_significant(tokens_, i) + 1, ")");
    }
    if (sum->terms.size() > 1 || is_product(sum->terms[0])) return;  // keep_sum() is coming to it
    write_before(sum->terms[0].begin(), "assay_msl::kept(");
    write_behind(sum->terms[0].end(), ")");
  }

  bool is_product(const Term& term) const {
    return !term.operators.empty() && tokens_[term.operators.back()].text == "*";
  }
  // Does nothing of lower precedence follow?
  bool is_whole(const Sum& sum) const {
    const auto next = next_significant(tokens_, sum.terms.back().end() - 1);
    return next < tokens_.size() && (tokens_[next].is(";") || tokens_[next].is(")") || tokens_[next].is(","));
  }

  std::vector<Token>& tokens_;
  SumReader reader_;
  Numerics numerics_;
  std::set<std::size_t> done_;
  std::set<std::string, std::less<>> bit_fields_;
  std::vector<std::string> before_, behind_;
};

}  // namespace

void apply_numerics(TokenText& text, Numerics numerics) {
  if (numerics != Numerics::strict) Arithmetic(text, numerics).run();
}

bool has_quotients(const std::string& lowered) {
  return lowered.find("assay_msl::granted_quotient(") != lowered.npos ||
         lowered.find("assay_msl::divide_as_granted(") != lowered.npos;
}

}  // namespace assay::metal
