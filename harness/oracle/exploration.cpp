#include "harness/oracle/exploration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Stretch kAnything{0, -kInfinity, kInfinity};

bool is_anything(const Stretch& one) { return one.low == -kInfinity && one.high == kInfinity; }

}  // namespace

std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::vector<Stretch> found;
  const auto nan = std::partition(stretches.begin(), stretches.end(), [](const Stretch& one) {
    return !std::isnan(one.value) || is_anything(one);
  });
  if (nan != stretches.end()) found.push_back(*nan);
  for (auto one = nan; one != stretches.end(); ++one) found.back().overflowed |= one->overflowed;
  stretches.erase(nan, stretches.end());
  if (std::any_of(stretches.begin(), stretches.end(), is_anything)) return {kAnything};
  std::sort(stretches.begin(), stretches.end(),
            [](const Stretch& a, const Stretch& b) { return a.low < b.low; });
  const std::size_t numbers = found.size();
  for (const Stretch& one : stretches) {
    if (found.size() > numbers && one.low <= found.back().high) {
      Stretch& known = found.back();
      known.overflowed |= one.overflowed;
      const bool both_zeros =
          known.low == 0 && one.low == 0 && std::signbit(known.low) != std::signbit(one.low);
      if (both_zeros) known.low = -0.0;
      if (both_zeros && known.high == 0) known.high = 0.0;
      known.high = std::max(known.high, one.high);
    } else {
      found.push_back(one);
    }
  }
  return found;
}

void Exploration::begin() { scopes_.emplace_back(); }

unsigned Exploration::choose(unsigned count) {
  Scope& scope = scopes_.back();
  if (scope.next == scope.trail.size()) scope.trail.push_back({0, std::max(count, 1u)});
  return scope.trail[scope.next++].chosen;
}

void Exploration::cannot_say() { scopes_.back().unknown = true; }

bool Exploration::assign(unsigned tensor, std::size_t element, const Stretch& right) {
  if (tensor >= outputs_.size() || element >= outputs_[tensor].value.size()) return false;
  const Place place{tensor, element};
  AssignedOutput& output = outputs_[tensor];
  const bool unknown =
      std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& one) { return one.unknown; });
  const Stretch& stored = unknown ? kAnything : right;
  output.value[element] = stored.value;
  output.low[element] = stored.low;
  output.high[element] = stored.high;
  output.assigned[element] = 1;
  if (!apart_.empty()) apart_.erase(place);
  scopes_.back().written.push_back(place);
  return true;
}

bool Exploration::overflow(unsigned tensor, std::size_t element, double special) {
  if (tensor >= outputs_.size() || element >= outputs_[tensor].value.size()) return false;
  const AssignedOutput& output = outputs_[tensor];
  const Stretch main{output.value[element], output.low[element], output.high[element], true};
  if (is_anything(main)) return true;
  auto& all = apart_[{tensor, element}];
  if (all.empty()) all.push_back(main);
  all.push_back({special, special, special, true});
  all = joined(std::move(all));
  return true;
}

// What this path has assigned joins what those before have.
void Exploration::keep_path(Scope& scope) {
  for (const Place& place : scope.written) {
    AssignedOutput& output = outputs_[place.first];
    auto& all = scope.all[place];
    if (const auto several = apart_.find(place); several != apart_.end()) {
      all.insert(all.end(), several->second.begin(), several->second.end());
      apart_.erase(several);
    } else {
      all.push_back({output.value[place.second], output.low[place.second], output.high[place.second]});
    }
    if (all.size() > 8) all = joined(std::move(all));
  }
  scope.written.clear();
}

bool Exploration::again() {
  Scope& scope = scopes_.back();
  ++scope.paths;
  if (scope.trail.empty()) {  // one way alone, as nearly always
    finish(false);
    return false;
  }
  keep_path(scope);
  while (!scope.trail.empty() && scope.trail.back().chosen + 1 == scope.trail.back().of)
    scope.trail.pop_back();
  if (scope.trail.empty() || scope.paths >= kMostPaths) {
    finish(!scope.trail.empty());
    return false;
  }
  ++scope.trail.back().chosen;
  scope.next = 0;
  scope.unknown = false;
  return true;
}

void Exploration::finish(bool too_many) {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (auto& [place, all] : scope.all) {
    AssignedOutput& output = outputs_[place.first];
    auto stretches = too_many ? std::vector<Stretch>{kAnything} : joined(std::move(all));
    Stretch hull = stretches.back();
    for (const Stretch& one : stretches) {
      if (std::isnan(one.value) || std::isnan(hull.value)) continue;
      hull.low = std::min(hull.low, one.low);
      hull.high = std::max(hull.high, one.high);
    }
    output.value[place.second] = hull.value;
    output.low[place.second] = hull.low;
    output.high[place.second] = hull.high;
    if (stretches.size() > 1 || stretches.front().overflowed) apart_[place] = std::move(stretches);
    scope.written.push_back(place);
  }
  if (scopes_.empty()) return;
  auto& outer = scopes_.back().written;
  outer.insert(outer.end(), scope.written.begin(), scope.written.end());
}

}  // namespace assay::oracle
