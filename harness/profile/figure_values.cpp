#include "harness/profile/figure_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/profile/format_figures.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/report.hpp"

namespace assay::profile {

std::string grouped(double value) {
  if (std::isinf(value)) return "unlimited";
  if (value != std::floor(value)) return fmt::format("{:.4g}", value);
  return fmt::format("{}{}", value < 0 ? "-" : "",
                     assay::grouped(static_cast<std::uint64_t>(std::abs(value))));
}

std::string grouped(const Figure& figure) {
  return figure.low == figure.high ? grouped(figure.low)
                                   : fmt::format("{} to {}", grouped(figure.low), grouped(figure.high));
}

FigureValues::FigureValues(const DocumentClaims& claims, const std::vector<KernelEntry>& entries,
                           unsigned jobs, const ProfileListener& ended)
    : claims_(claims), entries_(entries) {
  std::vector<std::pair<std::string, Dims>> keys;  // what has to be counted once
  const auto want = [&](const DocumentFigure& figure, const std::string& kernel) {
    const std::pair key{kernel, figure.at};
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return;
    keys.push_back(key);
    tasks_.push_back({&entry(figure, kernel), figure.at, {}, {}});
  };
  for (const auto& document : claims.documents) {
    for (const auto& figure : document.figures) {
      if (figure.source != Source::counted) continue;
      want(figure, figure.kernel);
      if (!figure.against.empty()) want(figure, figure.against);
    }
  }
  profile_all(tasks_, jobs, ended);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!tasks_[i].failure.empty()) throw std::runtime_error(keys[i].first + ": " + tasks_[i].failure);
    profiles_[keys[i]] = &tasks_[i].result;
  }
}

Figure FigureValues::measure(const DocumentFigure& figure) const {
  Dims values = format_figures();
  if (figure.source == Source::computed) return evaluate(figure, values);
  const Profile& profile = *profiles_.at({figure.kernel, figure.at});
  const auto& own = profile.figures;
  const auto& names = figure.measured.names();
  if (figure.measured.is_name()) {
    if (const auto found = own.find(names[0]); found != own.end()) return found->second;
  }
  // A number that no counter enters would be the document's own, measured by nothing.
  const bool counts = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return own.contains(name) || name.starts_with("against_");
  });
  const auto dims = entry(figure, figure.kernel).with_tile(profile.dims);
  values.insert(dims.begin(), dims.end());
  const auto add = [&](const Figures& figures, const std::string& prefix) {
    for (const auto& [name, value] : figures) {
      const bool whole = value.low == value.high && value.low == std::floor(value.low);
      if (whole && !std::isinf(value.low)) values[prefix + name] = static_cast<std::int64_t>(value.low);
    }
  };
  add(own, "");
  if (!figure.against.empty()) add(profiles_.at({figure.against, figure.at})->figures, "against_");
  const Figure measured = evaluate(figure, values);
  if (!counts) throw error(figure, "measured", "names no counter; write it as computed instead");
  return measured;
}

bool FigureValues::agrees(const DocumentFigure& figure, const Figure& measured) const {
  const bool equal =
      measured.low >= figure.says.low - figure.within && measured.high <= figure.says.high + figure.within;
  if (equal && !figure.reason.empty()) {
    throw error(figure, "reason", "the document agrees with the measured value; leave the reason out");
  }
  if (!equal && figure.reason.empty()) {
    throw error(figure, "says",
                fmt::format("the document says {}, but {} is measured; correct the figure or give a reason",
                            grouped(figure.says), grouped(measured)));
  }
  return equal;
}

const Profile* FigureValues::find(const std::string& kernel, const Dims& at) const {
  const auto found = profiles_.find({kernel, at});
  return found == profiles_.end() ? nullptr : found->second;
}

const KernelEntry& FigureValues::entry(const DocumentFigure& figure, const std::string& kernel) const {
  for (const auto& one : entries_) {
    if (one.name == kernel) return one;
  }
  throw error(figure, "kernel", fmt::format("the manifest has no kernel {}", kernel));
}

ManifestError FigureValues::error(const DocumentFigure& figure, const std::string& field,
                                  const std::string& what) const {
  return {claims_.file, figure.line, "figure." + field, fmt::format("{}: {}", figure.of, what)};
}

Figure FigureValues::evaluate(const DocumentFigure& figure, const Dims& values) const {
  try {
    const auto value = figure.measured.evaluate(values);
    return static_cast<double>(value.numerator) / static_cast<double>(value.denominator);
  } catch (const ExpressionError& bad) {
    throw error(figure, figure.source == Source::counted ? "measured" : "computed", bad.what());
  }
}

}  // namespace assay::profile
