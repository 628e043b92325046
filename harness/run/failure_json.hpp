// A failure, what right results may be off, and claims, as JSON: for processes that send them to each other,
// and for reports (docs/machine_readable.md, "A failure").
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "harness/verify/claims.hpp"
#include "harness/verify/error_shares.hpp"
#include "harness/verify/failure.hpp"

namespace assay::run {

nlohmann::json to_json(const Failure& failure);
nlohmann::json to_json(const ErrorShares& shares);
nlohmann::json to_json(const std::vector<ClaimResult>& claims);

// Inverses. Each throws std::exception for what is none; whoever trusts nobody compares what to_json() makes
// of the result.
Failure failure_from(const nlohmann::json& from);
ErrorShares shares_from(const nlohmann::json& from);
std::vector<ClaimResult> claims_from(const nlohmann::json& from);

}  // namespace assay::run
