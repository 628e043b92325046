#include "harness/fuzz/fuzz_state.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "harness/process/json_words.hpp"

namespace assay::fuzz {
namespace {

constexpr int kVersion = 1;

FuzzState read(const nlohmann::json& json) {
  if (const int version = json.at("version").get<int>(); version != kVersion)
    throw std::invalid_argument(fmt::format("its version is {}, not {}", version, kVersion));
  FuzzState state;
  state.seed = json.at("seed").get<std::uint64_t>();
  state.cases = json.at("cases").get<std::uint64_t>();
  for (const auto& one : json.at("positions")) {
    Position at{one.at("round").get<std::uint64_t>(), one.at("done").get<std::uint64_t>()};
    if (at.done >= kCasesOfRound)
      throw std::invalid_argument(fmt::format("`done` is {}, a round has {} cases", at.done, kCasesOfRound));
    state.positions[{one.at("manifest").get<std::string>(), one.at("kernel").get<std::string>(),
                     one.at("mode").get<std::string>()}] = at;
  }
  for (const auto& one : json.at("findings")) state.findings.push_back(kept_finding_from_json(one));
  return state;
}

}  // namespace

void Position::advance(std::uint64_t cases) {
  done += cases;
  round += done / kCasesOfRound;
  done %= kCasesOfRound;
}

std::string to_text(const FuzzState& state) {
  auto positions = nlohmann::json::array(), findings = nlohmann::json::array();
  for (const auto& [of, at] : state.positions) {
    const auto& [manifest, kernel, mode] = of;
    positions.push_back(
        {{"manifest", manifest}, {"kernel", kernel}, {"mode", mode}, {"round", at.round}, {"done", at.done}});
  }
  for (const auto& one : state.findings) findings.push_back(to_json(one));
  const nlohmann::json json = {{"version", kVersion},
                               {"seed", state.seed},
                               {"cases", state.cases},
                               {"positions", std::move(positions)},
                               {"findings", std::move(findings)}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

FuzzState state_from_text(std::string_view text) {
  try {
    return read(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(process::words_of(error));
  }
}

}  // namespace assay::fuzz
