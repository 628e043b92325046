#include "tests/pipelines/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "assay/device/device.hpp"

namespace assay::tests {
namespace {

using Json = nlohmann::ordered_json;

const Value* value_of(const Pipeline& pipeline, const Column& column) {
  const auto found = pipeline.values.find(column.key);
  return found == pipeline.values.end() ? nullptr : &found->second;
}

/// "24,576 (001)", "**4** (000, 5.1)": each number once, in the order of the documents.
std::string stated_text(const std::vector<Stated>& stated) {
  struct Number {
    std::string text;
    std::vector<std::string> places;
  };
  std::vector<Number> numbers;
  for (const auto& one : stated) {
    const std::string shown = profile::grouped(one.says);
    const std::string text = one.agrees ? shown : fmt::format("**{}**", shown);
    const std::string place = one.agrees ? one.document : fmt::format("{}, {}", one.document, one.section);
    auto number =
        std::find_if(numbers.begin(), numbers.end(), [&](const auto& other) { return other.text == text; });
    if (number == numbers.end()) number = numbers.insert(number, {text, {}});
    auto& places = number->places;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  std::string text;
  for (const auto& number : numbers)
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", number.text, fmt::join(number.places, "; "));
  return text;
}

Json number(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? Json(whole) : Json(value);
}

Json json_of(const Figure& figure) {
  return figure.low == figure.high ? number(figure.low) : Json{number(figure.low), number(figure.high)};
}

}  // namespace

std::string table_of(std::string_view table, std::span<const Pipeline> pipelines) {
  std::string head = "| kernel | tile |", rule = "|---|---|";
  std::vector<std::pair<const Column*, bool>> columns;  // and whether documents state any of it
  for (const auto& column : columns_of(table)) {
    const bool stated = std::any_of(pipelines.begin(), pipelines.end(), [&](const Pipeline& one) {
      const auto* value = value_of(one, column);
      return value != nullptr && !value->stated.empty();
    });
    columns.emplace_back(&column, stated);
    head += fmt::format(" {} |{}", column.title, stated ? " stated |" : "");
    rule += stated ? "--:|---|" : "--:|";
  }
  std::string rows;
  for (const auto& one : pipelines) {
    const bool any = std::any_of(columns.begin(), columns.end(),
                                 [&](const auto& column) { return value_of(one, *column.first) != nullptr; });
    if (!any) continue;
    rows +=
        fmt::format("| {} | {} |", one.worked_out ? one.name() : fmt::format("`{}`", one.name()), one.tile());
    for (const auto& [column, stated] : columns) {
      const auto* value = value_of(one, *column);
      rows += fmt::format(" {} |", value == nullptr ? "" : profile::grouped(value->measured));
      if (stated) rows += fmt::format(" {} |", value == nullptr ? "" : stated_text(value->stated));
    }
    rows += "\n";
  }
  return fmt::format("{}\n{}\n{}", head, rule, rows);
}

std::string data_of(std::span<const Pipeline> pipelines) {
  std::string lines;
  for (const auto& one : pipelines) {
    for (const auto table : tables()) {
      for (const auto& column : columns_of(table)) {
        const auto* value = value_of(one, column);
        if (value == nullptr) continue;
        Json line = {{"pipeline", one.name()}, {"tile", one.tile()},
                     {"buffers", one.stages},  {"worked_out", one.worked_out},
                     {"figure", column.key},   {"measured", json_of(value->measured)},
                     {"stated", Json::array()}};
        for (const auto& stated : value->stated) {
          line["stated"].push_back({{"document", stated.document},
                                    {"section", stated.section},
                                    {"says", json_of(stated.says)},
                                    {"agrees", stated.agrees}});
        }
        lines += fmt::format("{}  {}", lines.empty() ? "" : ",\n", line.dump());
      }
    }
  }
  return fmt::format("{{\"core_bytes\": {}, \"figures\": [\n{}\n]}}\n",
                     device::Limits{}.threadgroup_memory_bytes, lines);
}

}  // namespace assay::tests
