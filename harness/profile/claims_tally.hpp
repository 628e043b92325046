// What the page of claims adds up and numbers as it goes through the figures.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace assay::profile {

/// How many figures are what.
struct Tally {
  std::size_t figures = 0, equal = 0, different = 0, unmeasurable = 0;
  std::size_t counted = 0, of_formats = 0, of_its_own = 0;  // of those measured: what by

  void add(const Tally& other) {
    figures += other.figures;
    equal += other.equal;
    different += other.different;
    unmeasurable += other.unmeasurable;
    counted += other.counted;
    of_formats += other.of_formats;
    of_its_own += other.of_its_own;
  }
  std::string row(const std::string& name) const {
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", name, figures, equal, different,
                       unmeasurable, counted, of_formats, of_its_own);
  }
  std::string sentence() const {
    return fmt::format(
        "{} figures: {} measured and equal, {} measured and different, {} not measurable here.", figures,
        equal, different, unmeasurable);
  }
};

/// Reasons and notes under a document's tables, numbered as they come.
class Remarks {
 public:
  /// " (1) (4)": where these stand; those that are empty are left out.
  std::string numbers(const std::vector<std::string>& remarks) {
    std::string text;
    for (const auto& remark : remarks) {
      if (remark.empty()) continue;
      auto found = std::find(all_.begin(), all_.end(), remark);
      if (found == all_.end()) found = all_.insert(found, remark);
      text += fmt::format(" ({})", found - all_.begin() + 1);
    }
    return text;
  }
  std::string text() const {
    std::string text;
    for (std::size_t i = 0; i < all_.size(); ++i) text += fmt::format("{}. {}\n", i + 1, all_[i]);
    return text + (all_.empty() ? "" : "\n");
  }

 private:
  std::vector<std::string> all_;
};

}  // namespace assay::profile
