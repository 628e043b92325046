#include "properties/diagnosis/counterfactual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "reference/half.hpp"

namespace assay::properties {
namespace {

bool is_floating(const Tensor& tensor) { return tensor.dtype == DType::f16 || tensor.dtype == DType::f32; }

std::size_t columns_of(const Tensor& tensor) { return assay::matrix_of(tensor.shape).columns; }

void put(Tensor& tensor, std::size_t i, double value) {
  if (tensor.dtype == DType::f16) {
    tensor.as<std::uint16_t>()[i] = reference::half_from_double(value);
  } else {
    tensor.as<float>()[i] = static_cast<float>(value);
  }
}

/// What becomes of a floating-point tensor: words after its name, and its elements.
struct Change {
  const char* words;
  double (*value)(const Tensor& given, std::size_t i);
};

constexpr Change kChanges[] = {
    {" were all 1", [](const Tensor&, std::size_t) { return 1.0; }},
    {" were all 0", [](const Tensor&, std::size_t) { return 0.0; }},
    {" had no signs", [](const Tensor& given, std::size_t i) { return std::fabs(assay::decode(given, i)); }},
    {" were rounded to integers",
     [](const Tensor& given, std::size_t i) { return std::nearbyint(assay::decode(given, i)); }},
    {" had their first row in every row",
     [](const Tensor& given, std::size_t i) { return assay::decode(given, i % columns_of(given)); }},
    {" had their first column in every column",
     [](const Tensor& given, std::size_t i) { return assay::decode(given, i - i % columns_of(given)); }},
};

/// The problem with that change of the tensors of these numbers; nothing where it changes nothing.
void add_change(std::vector<Counterfactual>& found, const Problem& problem,
                const std::vector<std::size_t>& which, const std::string& name, const Change& change) {
  Counterfactual other{name + change.words, problem};
  bool differs = false;
  for (const std::size_t t : which) {
    const Tensor& given = problem.inputs[t];
    Tensor& tensor = other.problem.inputs[t];
    for (std::size_t i = 0; i < given.element_count(); ++i) put(tensor, i, change.value(given, i));
    differs |= tensor.data != given.data;
  }
  if (differs) found.push_back(std::move(other));
}

/// Tensors that end alike behind different prefixes changed together: what serves "gate_grid" serves
/// "up_grid".
void add_changes_of_families(std::vector<Counterfactual>& found, const Problem& problem) {
  std::map<std::string, std::vector<std::size_t>> families;
  for (std::size_t t = 0; t < problem.inputs.size(); ++t) {
    const Tensor& tensor = problem.inputs[t];
    const auto end = tensor.name.find('_');
    if (end != std::string::npos && is_floating(tensor)) families[tensor.name.substr(end)].push_back(t);
  }
  for (const auto& [ending, members] : families) {
    if (members.size() < 2) continue;
    for (const Change& change : kChanges) add_change(found, problem, members, "*" + ending, change);
  }
}

/// Of two floating-point tensors of one shape: exchanged, and the second multiplied by the first.
void add_pairs(std::vector<Counterfactual>& found, const Problem& problem) {
  const auto alike = [](const Tensor& a, const Tensor& b) {
    return a.name != b.name && a.dtype == b.dtype && a.shape == b.shape && is_floating(a);
  };
  for (const Tensor& one : problem.inputs) {
    for (const Tensor& two : problem.inputs) {
      if (!alike(one, two)) continue;
      Counterfactual product{two.name + " were multiplied by " + one.name, problem};
      Counterfactual exchange{one.name + " and " + two.name + " were exchanged", problem};
      for (Tensor& tensor : product.problem.inputs) {
        if (tensor.name != two.name) continue;
        for (std::size_t i = 0; i < two.element_count(); ++i)
          put(tensor, i, assay::decode(two, i) * assay::decode(one, i));
        if (tensor.data != two.data) found.push_back(product);
      }
      if (one.name > two.name || one.data == two.data) continue;
      for (Tensor& tensor : exchange.problem.inputs) {
        if (tensor.name == one.name) tensor.data = two.data;
        if (tensor.name == two.name) tensor.data = one.data;
      }
      found.push_back(std::move(exchange));
    }
  }
}

void add_column_exchange(std::vector<Counterfactual>& found, const Problem& problem, std::size_t which) {
  const Tensor& given = problem.inputs[which];
  const std::size_t columns = columns_of(given), size = assay::size_of(given.dtype);
  if (given.shape.size() < 2 || columns < 2) return;
  Counterfactual other{"neighbouring columns of " + given.name + " were exchanged", problem};
  Tensor& tensor = other.problem.inputs[which];
  for (std::size_t i = 0; i < given.element_count(); ++i) {
    const std::size_t partner = i % columns ^ 1;
    if (partner >= columns) continue;
    std::memcpy(tensor.data.data() + i * size, given.data.data() + (i / columns * columns + partner) * size,
                size);
  }
  if (tensor.data != given.data) found.push_back(std::move(other));
}

/// "gate_scales" of prefix "gate_" is exchanged with "up_scales", and so all that end alike.
void add_exchanges(std::vector<Counterfactual>& found, const Problem& problem) {
  std::vector<std::string> prefixes;
  for (const Tensor& tensor : problem.inputs) {
    const std::string prefix = tensor.name.substr(0, tensor.name.find('_') + 1);
    if (!prefix.empty() && std::find(prefixes.begin(), prefixes.end(), prefix) == prefixes.end())
      prefixes.push_back(prefix);
  }
  for (std::size_t a = 0; a < prefixes.size(); ++a) {
    for (std::size_t b = a + 1; b < prefixes.size(); ++b) {
      const std::string first = prefixes[a], second = prefixes[b];
      Counterfactual other{fmt::format("{}* and {}* were exchanged", first, second), problem};
      bool exchanged = false, fits = true;
      for (Tensor& one : other.problem.inputs) {
        if (!one.name.starts_with(first)) continue;
        const std::string partner = second + one.name.substr(first.size());
        const auto found_partner = std::find_if(other.problem.inputs.begin(), other.problem.inputs.end(),
                                                [&](const Tensor& tensor) { return tensor.name == partner; });
        fits = fits && found_partner != other.problem.inputs.end() && found_partner->dtype == one.dtype &&
               found_partner->shape == one.shape;
        if (!fits) break;
        std::swap(one.data, found_partner->data);
        exchanged = true;
      }
      if (exchanged && fits) found.push_back(std::move(other));
    }
  }
}

bool within(double got, double low, double high) {
  return std::isnan(low) ? std::isnan(got) : low <= got && got <= high;
}

}  // namespace

std::vector<Counterfactual> counterfactuals_of(const Problem& problem) {
  std::vector<Counterfactual> found;
  add_exchanges(found, problem);
  for (std::size_t t = 0; t < problem.inputs.size(); ++t) {
    add_column_exchange(found, problem, t);
    if (!is_floating(problem.inputs[t])) continue;
    for (const Change& change : kChanges) add_change(found, problem, {t}, problem.inputs[t].name, change);
  }
  add_changes_of_families(found, problem);
  add_pairs(found, problem);
  return found;
}

std::vector<Reordering> reorderings_of(const Expectation& expected, Matrix shape) {
  using Place = std::pair<std::size_t, std::size_t>;
  struct NamedOrder {
    const char* words;
    std::function<Place(std::size_t, std::size_t)> from;
  };
  const std::vector<NamedOrder> orders = {
      {"neighbouring columns were exchanged (column c xor 1)",
       [](std::size_t r, std::size_t c) {
         return Place{r, c ^ 1};
       }},
      {"neighbouring rows were exchanged (row r xor 1)",
       [](std::size_t r, std::size_t c) {
         return Place{r ^ 1, c};
       }},
      {"8 x 8 pieces were transposed",
       [](std::size_t r, std::size_t c) {
         return Place{r / 8 * 8 + c % 8, c / 8 * 8 + r % 8};
       }},
      {"columns were reversed within each 8",
       [](std::size_t r, std::size_t c) {
         return Place{r, c / 8 * 8 + 7 - c % 8};
       }},
      {"rows were reversed within each 8",
       [](std::size_t r, std::size_t c) {
         return Place{r / 8 * 8 + 7 - r % 8, c};
       }},
  };
  std::vector<Reordering> found;
  for (const NamedOrder& order : orders) {
    Reordering other{std::string("in ") + expected.tensor + " " + order.words, expected};
    for (std::size_t r = 0; r < shape.rows; ++r) {
      for (std::size_t c = 0; c < shape.columns; ++c) {
        const auto [row, column] = order.from(r, c);
        if (row >= shape.rows || column >= shape.columns) continue;
        const std::size_t to = r * shape.columns + c, from = row * shape.columns + column;
        other.expected.value[to] = expected.value[from];
        other.expected.low[to] = expected.low[from];
        other.expected.high[to] = expected.high[from];
      }
    }
    found.push_back(std::move(other));
  }
  return found;
}

bool explains(const Comparison& seen, const Expectation& expected, const Expectation& other) {
  return !seen.wrong.empty() && agrees(seen, expected, other);
}

bool agrees(const Comparison& seen, const Expectation& expected, const Expectation& other) {
  // Fresh memory is NaN, as is what lanes that took no part give, and damage explains both; a byte of it may
  // also have been written.
  const bool is_float = seen.dtype == DType::f16 || seen.dtype == DType::f32;
  if (is_float && (seen.never_written > 0 || seen.undefined() > 0)) return false;
  if (other.low.size() != expected.low.size()) return false;
  std::size_t next = 0;
  for (std::size_t i = 0; i < expected.low.size(); ++i) {
    const double low = other.low[i], high = other.high[i];
    if (next < seen.wrong.size() && seen.wrong[next].index == i) {
      if (!within(seen.wrong[next].got, low, high)) return false;
      ++next;
    } else if (std::isnan(low) != std::isnan(expected.low[i]) || high < expected.low[i] ||
               low > expected.high[i]) {
      return false;
    }
  }
  return true;
}

std::vector<OtherArithmetic> other_arithmetics(const Arithmetic& declared) {
  const auto other = [](Precision one) {
    return one == Precision::half_precision ? Precision::float_precision : Precision::half_precision;
  };
  Arithmetic dequantize = declared, intermediate = declared;
  dequantize.dequantize = other(declared.dequantize);
  intermediate.intermediate = other(declared.intermediate);
  const auto words = [](std::string_view field, Precision precision) {
    return fmt::format("the manifest said arithmetic.{} = \"{}\"", field, name_of(precision));
  };
  return {{words("dequantize", dequantize.dequantize), dequantize},
          {words("intermediate", intermediate.intermediate), intermediate}};
}

bool tells(const Comparison& seen, const Expectation& other) {
  return std::any_of(seen.wrong.begin(), seen.wrong.end(), [&](const WrongElement& element) {
    const double low = other.low[element.index], high = other.high[element.index];
    return high - low <= 0.5 * std::max(std::fabs(low), std::fabs(high));  // false of NaN
  });
}

}  // namespace assay::properties
