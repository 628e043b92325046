#include "harness/verify/expression.hpp"

#include <fmt/format.h>

#include "harness/verify/shown.hpp"

namespace assay {
namespace {

std::string join(const Dims& dims) {
  std::string names;
  for (const auto& [name, value] : dims) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

// Where a formula over sizes may change: around small ones, powers of two, and at the largest.
constexpr std::int64_t kTried[] = {
    1,  2,  3,  4,  5,   7,   8,   9,   16,  17,   31,   32,    33,      48,
    63, 64, 65, 96, 100, 127, 128, 129, 255, 1000, 4096, 65535, 1 << 20, std::int64_t{1} << 31};
constexpr std::int64_t kBeside[] = {1, 7, 64, 4096, 1 << 20};

}  // namespace

Fraction Expression::evaluate(const Dims& dims) const {
  const auto fail = [&](const std::string& what) -> ExpressionError {
    return ExpressionError(fmt::format("expression \"{}\": {}", shown(text_), what));
  };
  std::vector<Fraction> stack;
  const auto pop = [&] {
    const Fraction top = stack.back();
    stack.pop_back();
    return top;
  };
  const auto push = [&](fractions::Wide numerator, fractions::Wide denominator) {
    const auto value = fractions::reduce(numerator, denominator);
    if (!value) throw fail("the value does not fit in 64 bits");
    stack.push_back(*value);
  };
  for (const Step& step : steps_) {
    if (step.operation == Operation::number) {
      stack.push_back(step.number);
      continue;
    }
    if (step.operation == Operation::name) {
      const auto found = dims.find(names_[step.index]);
      if (found == dims.end()) {
        throw fail(fmt::format("there is no value named {}; there are {}", names_[step.index], join(dims)));
      }
      push(found->second, 1);
      continue;
    }
    const Fraction b = pop();
    if (step.operation == Operation::negate) {
      push(-fractions::Wide{b.numerator}, b.denominator);
      continue;
    }
    if (step.operation == Operation::floor || step.operation == Operation::ceil) {
      const bool up = step.operation == Operation::ceil && b.denominator != 1;
      push(fractions::Wide{fractions::floor_of(b)} + (up ? 1 : 0), 1);
      continue;
    }
    const Fraction a = pop();
    const fractions::Wide an = a.numerator, ad = a.denominator, bn = b.numerator, bd = b.denominator;
    switch (step.operation) {
      case Operation::add:
        push(an * bd + bn * ad, ad * bd);
        break;
      case Operation::subtract:
        push(an * bd - bn * ad, ad * bd);
        break;
      case Operation::multiply:
        push(an * bn, ad * bd);
        break;
      case Operation::divide:
        if (bn == 0) throw fail("division by zero");
        push(an * bd, ad * bn);
        break;
      case Operation::modulo:
        if (bn == 0) throw fail("division by zero");
        if (ad != 1 || bd != 1) throw fail("both sides of % must be whole numbers");
        push(an % bn, 1);
        break;
      case Operation::min:
        stack.push_back(fractions::less(b, a) ? b : a);
        break;
      default:
        stack.push_back(fractions::less(a, b) ? b : a);
        break;
    }
  }
  return stack.back();
}

std::optional<std::string> Expression::idle_name() const {
  if (is_name()) return std::nullopt;
  const auto tried = [&](const Dims& dims) -> std::optional<Fraction> {
    try {
      return evaluate(dims);
    } catch (const ExpressionError&) {
      return std::nullopt;
    }
  };
  for (const std::string& name : names_) {
    bool matters = false;
    for (const std::int64_t others : kBeside) {
      Dims dims;
      for (const std::string& other : names_) dims[other] = others;
      std::optional<std::optional<Fraction>> first;
      for (const std::int64_t value : kTried) {
        dims[name] = value;
        const auto now = tried(dims);
        matters |= first.has_value() && *first != now;
        if (!first) first = now;
      }
    }
    if (!matters) return name;
  }
  return std::nullopt;
}

std::int64_t Expression::evaluate_integer(const Dims& dims) const {
  const Fraction value = evaluate(dims);
  if (value.denominator != 1) {
    throw ExpressionError(
        fmt::format("expression \"{}\" is {}/{}, which is not a whole number; use ceil(...) or floor(...)",
                    shown(text_), value.numerator, value.denominator));
  }
  return value.numerator;
}

}  // namespace assay
