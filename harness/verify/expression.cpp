#include "harness/verify/expression.hpp"

#include <fmt/format.h>

namespace assay::verify {
namespace {

std::string join(const Dims& dims) {
  std::string names;
  for (const auto& [name, value] : dims) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none" : names;
}

}  // namespace

Fraction Expression::evaluate(const Dims& dims) const {
  const auto fail = [&](const std::string& what) -> ExpressionError {
    return ExpressionError(fmt::format("expression \"{}\": {}", text_, what));
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
        throw fail(fmt::format("no value is named {}; known: {}", names_[step.index], join(dims)));
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
        if (ad != 1 || bd != 1) throw fail("% takes whole numbers");
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

std::int64_t Expression::evaluate_integer(const Dims& dims) const {
  const Fraction value = evaluate(dims);
  if (value.denominator != 1) {
    throw ExpressionError(
        fmt::format("expression \"{}\" is {}/{}, no whole number; use ceil(...) or floor(...)", text_,
                    value.numerator, value.denominator));
  }
  return value.numerator;
}

}  // namespace assay::verify
