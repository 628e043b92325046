#include "properties/diagnosis/case_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "properties/cases/special_values.hpp"

namespace assay::properties {
namespace {

/// Which values the case has: of which regime, and, of a planned one that shows one thing at a time, which.
void add_regime_of_case(const OperationDeclaration& declaration, const Case& asked, std::size_t elements,
                        std::vector<Coordinate>& coordinates) {
  std::vector<std::string> regimes;
  std::int64_t value = 0;
  const auto add = [&](bool asked_for, std::string words) {
    if (asked_for) value = std::ssize(regimes);
    regimes.push_back(std::move(words));
  };
  for (const Regime& one : declaration.regimes)
    add(one.name == asked.regime, fmt::format("in cases of regime \"{}\" ({})", one.name, one.about));
  for (const PlannedRegime& planned : declaration.planned) {
    const bool of_it = planned.regime.name == asked.regime;
    const Knob& kind = planned.regime.knobs.front();
    if (planned.at_once) add(of_it, "in cases of regime \"" + planned.regime.name + "\"");
    for (std::size_t i = 0; !planned.at_once && i < kind.names.size(); ++i)
      add(of_it && knob_of(asked, kind.name) == static_cast<std::int64_t>(i),
          "in cases with " + kind.names[i]);
  }
  add(!asked.golden.empty(), "in cases of a golden file");
  coordinates.push_back({"in cases of regime {}", "in cases of regimes {}", std::vector(elements, value),
                         false, std::move(regimes)});
}

}  // namespace

void add_coordinates_of_case(const OperationDeclaration& declaration, const Tile& tiles, const Case& asked,
                             std::size_t elements, std::vector<Coordinate>& coordinates) {
  const auto add = [&](std::string one, std::string many, std::int64_t value,
                       std::vector<std::string> names = {}) {
    coordinates.push_back(
        {std::move(one), std::move(many), std::vector(elements, value), false, std::move(names)});
  };
  for (const Dimension& one : declaration.dimensions) {
    const std::int64_t value = asked.dims.at(one.name);
    const std::int64_t tile = one.tile == nullptr ? 0 : tiles.*one.tile;
    if (tile > 1) {
      const std::string of = fmt::format("the tile's {}", tile);
      add(one.name + " beyond the tile", "", value > tile,
          {"in cases with " + one.name + " up to " + of, "in cases with " + one.name + " above " + of});
      add(one.name + " off the tile", "", value % tile != 0,
          {"in cases where " + one.name + " is a multiple of " + of,
           "in cases where " + one.name + " is no multiple of " + of});
    }
    if (one.is_choice())
      add("in cases with " + one.name + " = {}", "in cases with " + one.name + " = {}", value);
  }
  add_regime_of_case(declaration, asked, elements, coordinates);
  std::map<std::string, std::vector<std::string>> kinds;
  for (const Regime& one : declaration.regimes) {
    for (const Knob& knob : one.knobs) {
      if (!knob.names.empty()) kinds[knob.name] = knob.names;
    }
  }
  for (auto& [knob, names] : kinds) {
    const auto asked_for = asked.knobs.find(knob);
    const auto none = static_cast<std::int64_t>(names.size());
    names.push_back("no " + knob);
    for (std::string& name : names) name.insert(0, "in cases with ");
    add("in cases with " + knob + " {}", "",
        asked_for == asked.knobs.end() ? none : std::min(asked_for->second, none), std::move(names));
  }
}

}  // namespace assay::properties
