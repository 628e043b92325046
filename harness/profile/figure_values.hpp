// What figures of documents come to: the kernels that they name are counted, and the arithmetic is done.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/profile/document_claims.hpp"
#include "harness/profile/profiler.hpp"

namespace assay::profile {

/// "16,384", "43.75", "unlimited".
std::string grouped(double value);
/// The same, "1 to 2" where the least and the most differ.
std::string grouped(const Figure& figure);

class FigureValues {
 public:
  /// Profiles each kernel that a counted figure names, at the figure's dimensions, `jobs` at a time. Both
  /// arguments must outlive it. Throws ManifestError where the manifest has no such kernel, and
  /// std::runtime_error where one cannot be profiled.
  FigureValues(const DocumentClaims& claims, const std::vector<KernelEntry>& entries, unsigned jobs,
               const ProfileListener& ended = {});

  /// What `figure.measured` comes to. A counted figure is one of the claims, or one of a kernel and
  /// dimensions that one of them has. Throws ManifestError where the arithmetic has no value.
  Figure measure(const DocumentFigure& figure) const;

  /// Whether the document agrees with what is measured. Throws ManifestError where it does not and the figure
  /// has no reason, and where it does and the figure has one.
  bool agrees(const DocumentFigure& figure, const Figure& measured) const;

  /// What was counted of a kernel at these dimensions, {} being the usual ones; null if no figure asks for
  /// it.
  const Profile* find(const std::string& kernel, const Dims& at = {}) const;

 private:
  const KernelEntry& entry(const DocumentFigure& figure, const std::string& kernel) const;
  ManifestError error(const DocumentFigure& figure, const std::string& field, const std::string& what) const;
  Figure evaluate(const DocumentFigure& figure, const Dims& values) const;

  const DocumentClaims& claims_;
  const std::vector<KernelEntry>& entries_;
  std::vector<ProfileTask> tasks_;
  std::map<std::pair<std::string, Dims>, const Profile*> profiles_;  // by kernel and dimensions
};

}  // namespace assay::profile
