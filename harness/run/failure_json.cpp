#include "harness/run/failure_json.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "assay/verdict.hpp"
#include "harness/remote/fault_json.hpp"
#include "harness/remote/json_parts.hpp"
#include "harness/run/output_grid_json.hpp"

namespace assay::run {
namespace {

using nlohmann::json;
using remote::fault_from;
using remote::list_to_json;
using remote::old_value_from;
using remote::optional_from;
using remote::optional_to_json;
using remote::to_json;  // of faults and maps, beside those below
using run::to_json;

json to_json(const ShownElement& one) {
  return {{"row", one.row},
          {"column", one.column},
          {"never_written", one.never_written},
          {"worst", one.worst},
          {"got", one.text.got},
          {"expected", one.text.expected},
          {"difference", one.text.difference},
          {"allowed", one.text.allowed},
          {"times_allowed", optional_to_json(one.times)},
          {"stored_by", one.stored_by}};
}

ShownElement element_from(const json& one) {
  return {one.at("row").get<std::uint64_t>(),
          one.at("column").get<std::uint64_t>(),
          one.at("never_written").get<bool>(),
          one.at("worst").get<bool>(),
          {one.at("got").get<std::string>(), one.at("expected").get<std::string>(),
           one.at("difference").get<std::string>(), one.at("allowed").get<std::string>()},
          optional_from<double>(one.at("times_allowed")),
          one.at("stored_by").get<std::string>()};
}

json to_json(const WrongOutput& output) {
  return {{"tensor", output.tensor},
          {"dtype", output.dtype},
          {"shape", output.shape},
          {"bound", output.bound},
          {"elements", output.elements},
          {"wrong", output.wrong},
          {"never_written", output.never_written},
          {"rows", output.rows},
          {"columns", output.columns},
          {"shown", list_to_json(output.shown, [](const auto& one) { return to_json(one); })},
          {"map", output.grid ? to_json(*output.grid) : json()}};
}

WrongOutput output_from(const json& from) {
  WrongOutput output;
  output.tensor = from.at("tensor").get<std::string>();
  output.dtype = from.at("dtype").get<std::string>();
  output.shape = from.at("shape").get<std::vector<std::uint64_t>>();
  output.bound = from.at("bound").get<std::string>();
  output.elements = from.at("elements").get<std::uint64_t>();
  output.wrong = from.at("wrong").get<std::uint64_t>();
  output.never_written = from.at("never_written").get<std::uint64_t>();
  output.rows = from.at("rows").get<std::string>();
  output.columns = from.at("columns").get<std::string>();
  for (const auto& one : from.at("shown")) output.shown.push_back(element_from(one));
  if (const auto& map = from.at("map"); !map.is_null()) output.grid = grid_from(map);
  return output;
}

std::vector<WrongOutput> outputs_from(const json& list) {
  std::vector<WrongOutput> outputs;
  for (const auto& one : list) outputs.push_back(output_from(one));
  return outputs;
}

json to_json(const InputText& input) {
  return {{"tensor", input.tensor}, {"dtype", input.dtype}, {"shape", input.shape}, {"values", input.values}};
}

InputText input_from(const json& from) {
  return {from.at("tensor").get<std::string>(), from.at("dtype").get<std::string>(),
          from.at("shape").get<std::vector<std::uint64_t>>(),
          from.at("values").get<std::vector<std::string>>()};
}

json to_json(const ShrinkSteps& shrunk) {
  return {{"index", shrunk.index},
          {"found", shrunk.found},
          {"steps", shrunk.steps},
          {"tried", shrunk.tried},
          {"unfinished", shrunk.unfinished}};
}

ShrinkSteps shrunk_from(const json& from) {
  return {from.at("index").get<std::uint64_t>(), from.at("found").get<std::string>(),
          from.at("steps").get<std::uint64_t>(), from.at("tried").get<std::uint64_t>(),
          from.at("unfinished").get<bool>()};
}

json to_json(const Excerpt& excerpt) {
  return {{"file", excerpt.file}, {"first_line", excerpt.first_line}, {"lines", excerpt.lines}};
}

// JSON has no infinity: null stands for it.
json number_to_json(double value) { return std::isinf(value) ? json() : json(value); }
double number_from(const json& value) {
  return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

}  // namespace

json to_json(const Failure& failure) {
  return {
      {"case", failure.test_case},
      {"faults", list_to_json(failure.faults, [](const auto& one) { return to_json(one); })},
      {"more_faults", failure.more_faults},
      {"old_values", list_to_json(failure.old_values, [](const auto& one) { return to_json(one); })},
      {"outputs", list_to_json(failure.outputs, [](const auto& one) { return to_json(one); })},
      {"inputs", list_to_json(failure.inputs, [](const auto& one) { return to_json(one); })},
      {"remarks", failure.remarks},
      {"diagnosis", failure.diagnosis},
      {"shrunk", failure.shrunk ? to_json(*failure.shrunk) : json()},
      {"outputs_found", list_to_json(failure.outputs_found, [](const auto& one) { return to_json(one); })},
      {"sources", list_to_json(failure.sources, [](const auto& one) { return to_json(one); })}};
}

Failure failure_from(const json& from) {
  Failure failure;
  failure.test_case = from.at("case").get<std::string>();
  for (const auto& one : from.at("faults")) failure.faults.push_back(fault_from(one));
  failure.more_faults = from.at("more_faults").get<std::uint64_t>();
  for (const auto& one : from.at("old_values")) failure.old_values.push_back(old_value_from(one));
  failure.outputs = outputs_from(from.at("outputs"));
  for (const auto& one : from.value("inputs", json::array())) failure.inputs.push_back(input_from(one));
  failure.remarks = from.at("remarks").get<std::vector<std::string>>();
  failure.diagnosis = from.at("diagnosis").get<std::vector<std::string>>();
  if (const auto& shrunk = from.at("shrunk"); !shrunk.is_null()) failure.shrunk = shrunk_from(shrunk);
  failure.outputs_found = outputs_from(from.at("outputs_found"));
  for (const auto& one : from.at("sources")) {
    failure.sources.push_back({one.at("file").get<std::string>(), one.at("first_line").get<std::uint32_t>(),
                               one.at("lines").get<std::vector<std::string>>()});
  }
  return failure;
}

json to_json(const ErrorShares& shares) {
  return {{"elements", shares.elements}, {"single", shares.single}, {"open", shares.open},
          {"bins", shares.bins},         {"worst", shares.worst},   {"worst_tensor", shares.worst_tensor}};
}

ErrorShares shares_from(const json& from) {
  ErrorShares shares;
  shares.elements = from.at("elements").get<std::uint64_t>();
  shares.single = from.at("single").get<std::uint64_t>();
  shares.open = from.at("open").get<std::uint64_t>();
  shares.bins = from.at("bins").get<decltype(shares.bins)>();
  shares.worst = from.at("worst").get<double>();
  shares.worst_tensor = from.at("worst_tensor").get<std::string>();
  std::uint64_t rest = shares.elements;
  for (const auto part : {shares.single, shares.open}) {
    if (part > rest) throw std::invalid_argument("the counts of errors exceed their sum");
    rest -= part;
  }
  for (const auto count : shares.bins) {
    if (count > rest) throw std::invalid_argument("the bins of errors exceed their sum");
    rest -= count;
  }
  if (rest != 0 || !(shares.worst >= 0 && shares.worst <= 1))
    throw std::invalid_argument("the counts of errors do not add up");
  return shares;
}

json to_json(const std::vector<ClaimResult>& claims) {
  json list = json::array();
  for (const auto& one : claims) {
    json measured;
    if (one.measured) measured = {number_to_json(one.measured->low), number_to_json(one.measured->high)};
    list.push_back(
        {{"name", one.name}, {"claimed", one.claimed}, {"measured", measured}, {"holds", one.holds()}});
  }
  return list;
}

std::vector<ClaimResult> claims_from(const json& list) {
  std::vector<ClaimResult> claims;
  for (const auto& one : list) {
    ClaimResult claim{one.at("name").get<std::string>(), one.at("claimed").get<double>(), {}};
    if (const auto& measured = one.at("measured"); !measured.is_null())
      claim.measured = Figure(number_from(measured.at(0)), number_from(measured.at(1)));
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace assay::run
