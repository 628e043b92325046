// Figures that design documents (docs/documents.md) state of the kernels, each beside what is counted:
// docs/claims.toml to docs/claims.md.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/profile/profiler.hpp"
#include "harness/verify/claims.hpp"
#include "harness/verify/expression.hpp"
#include "harness/verify/manifest.hpp"

namespace assay::profile {

/// Where the number comes from that a figure is held against.
enum class Source {
  counted,   ///< a kernel that runs: `measured`
  computed,  ///< the formats' code and numbers that the document states itself: `computed`
  nowhere    ///< it is not measurable here: `unmeasurable`
};

/// One figure of a document. `measured` is arithmetic over the counters of `kernel`, the dimensions that it
/// was profiled at, its tile_m, tile_n and tile_k, the figures of formats, and, as `against.NAME`, the
/// counters of another kernel. `computed` is arithmetic over the figures of formats (format_figures.hpp) and
/// numbers that stand in it.
struct DocumentFigure {
  std::string section, of;
  Source source = Source::counted;
  std::string kernel, against;  ///< `against` may be empty; both are unless it is counted
  Dims at;                      ///< dimensions other than those that kernels are profiled at
  Figure says;
  double within = 0;         ///< how far the measured value may lie from it: what the document rounded away
  std::string unit;          ///< "bytes", "%"; may be empty
  Expression measured;       ///< or computed
  std::string unmeasurable;  ///< key of the reason why it cannot be measured
  std::string reason;        ///< key of the reason why the document is wrong; empty where it is right
  std::string note;          ///< what else is to be said; may be empty
  std::uint32_t line = 0;
};

struct Document {
  std::string name, title;
  std::vector<DocumentFigure> figures;
};

struct DocumentClaims {
  std::filesystem::path file;
  std::vector<Document> documents;
  std::map<std::string, std::string> reasons;       ///< by key: why a figure differs
  std::map<std::string, std::string> unmeasurable;  ///< by key: why it cannot be measured
};

/// Throws ManifestError with file, line and field.
DocumentClaims read_document_claims(const std::filesystem::path& file);

/// The page, in Markdown. Profiles each kernel that is named, `jobs` at a time. Throws std::runtime_error or
/// ManifestError where a kernel is unknown or cannot be profiled, where a figure differs and no
/// reason is given, and where a reason is given and the figure agrees.
std::string claims_page(const DocumentClaims& claims, const std::vector<KernelEntry>& entries, unsigned jobs,
                        const ProfileListener& ended = {});

}  // namespace assay::profile
