#include "golden/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <vector>

#include "golden/blocks.hpp"
#include "golden/content_hash.hpp"
#include "golden/safetensors.hpp"
#include "golden/safetensors_file.hpp"
#include "harness/process/pool.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {
namespace {

constexpr std::string_view kGenerator =
    "Philox4x32-10 (Salmon et al., SC 2011): key = seed, counter = (element, FNV-1a of the tensor's name)";

/// One tag a line.
std::string tags_of(const properties::Operation& operation, const CaseFile& file) {
  properties::Coverage coverage;
  cover_shape(operation.declaration(), Tile{64, 64, 32}, file.test_case, coverage);
  cover_values(file.problem, coverage);
  operation.cover(file.problem, coverage);
  std::string text;
  for (const auto& [tag, count] : coverage.reached()) text += (text.empty() ? "" : "\n") + tag;
  return text;
}

/// What the header says of outputs: it stands before all of them are solved.
struct Outline {
  Kept kept;
  Metadata said;  ///< bound.T and signed_zero.T

  bool operator==(const Outline&) const = default;
};

Outline outline_of(const std::vector<BlockAnswer>& answers) {
  Outline outline;
  for (const BlockAnswer& one : answers) {
    outline.kept = outline.kept.with(one.kept());
    outline.said["bound." + one.whole.name] = one.expected.bound;
    outline.said["signed_zero." + one.whole.name] = one.expected.signed_zero ? "true" : "false";
  }
  return outline;
}

/// A block needs tensors, or words, that the header lacks.
struct WiderOutline {
  Outline outline;
};

class CaseWriter {
 public:
  CaseWriter(const std::filesystem::path& path, const CaseFile& file, unsigned workers,
             const std::function<void(std::uint64_t)>& written)
      : path_(path),
        case_(file),
        operation_(properties::find_operation(file.problem.operation)),
        workers_(workers),
        written_(written),
        blocks_(blocks_of(operation_, file.problem)) {}

  void write() {
    const auto first = solve(0);
    std::optional<Outline> outline = outline_of(first);
    while (outline) outline = write(*outline, first);
  }

 private:
  std::vector<BlockAnswer> solve(std::size_t number) const {
    return solve_block(operation_, case_.problem, case_.arithmetic, blocks_, number);
  }

  void told(std::uint64_t bytes) const {
    if (written_) written_(bytes);
  }

  /// Writes all of it; or the outline that it must have, which is found once a block is not as the first was.
  std::optional<Outline> write(const Outline& outline, const std::vector<BlockAnswer>& first) const {
    Metadata metadata = case_.metadata;
    for (const auto& [key, value] : outline.said) metadata[key] = value;
    metadata[std::string(kHashKey)] = {};
    std::vector<TensorLayout> layout;
    for (const Tensor& tensor : case_.problem.inputs)
      layout.push_back({tensor.name, tensor.dtype, tensor.shape});
    for (const BlockAnswer& one : first) {
      for (TensorLayout& tensor : layout_of(one.whole, outline.kept)) layout.push_back(std::move(tensor));
    }
    SafetensorsFile file(path_, metadata, std::move(layout));
    try {
      workers_ < 2 || blocks_.ranges.size() < 3 ? put_here(file, outline, first)
                                                : put_in_processes(file, outline, first);
    } catch (const WiderOutline& wider) {
      return wider.outline;
    }
    file.finish();
    return std::nullopt;
  }

  /// How many bytes it took. Throws WiderOutline.
  static std::uint64_t put(const SafetensorsFile& file, const Outline& outline,
                           const std::vector<BlockAnswer>& answers) {
    const Outline needed = outline_of(answers);
    // The words of a block whose answers are ranges say more than those of one that is exact.
    const Outline wider{outline.kept.with(needed.kept),
                        needed.kept.ranges && !outline.kept.ranges ? needed.said : outline.said};
    if (wider != outline) throw WiderOutline{wider};
    std::uint64_t bytes = 0;
    for (const BlockAnswer& one : answers) {
      if (!one.exact.empty() && outline.kept != Kept{})
        throw std::logic_error("an exact output beside ranges");
      one.each_run(outline.kept, [&](const std::string& tensor, std::size_t element, auto run) {
        file.write(tensor, element, run);
        bytes += run.size();
      });
    }
    return bytes;
  }

  /// Share `number` of the inputs; how many bytes that were.
  std::uint64_t put_inputs(const SafetensorsFile& file, unsigned number, unsigned of) const {
    std::uint64_t bytes = 0;
    for (const Tensor& tensor : case_.problem.inputs) {
      const std::size_t size = assay::size_of(tensor.dtype), count = tensor.data.size() / size;
      const std::size_t begin = count * number / of, end = count * (number + 1) / of;
      file.write(tensor.name, begin, std::span(tensor.data).subspan(begin * size, (end - begin) * size));
      bytes += (end - begin) * size;
    }
    return bytes;
  }

  void put_here(const SafetensorsFile& file, const Outline& outline,
                const std::vector<BlockAnswer>& first) const {
    told(put_inputs(file, 0, 1));
    told(put(file, outline, first));
    for (std::size_t i = 1; i < blocks_.ranges.size(); ++i) told(put(file, outline, solve(i)));
  }

  /// Each worker takes every so-manieth block, and a share of the inputs. BLAS and what else solves is not
  /// asked to run in several threads.
  void put_in_processes(const SafetensorsFile& file, const Outline& outline,
                        const std::vector<BlockAnswer>& first) const {
    told(put(file, outline, first));
    process::Pool pool(workers_);
    std::string failure;
    for (unsigned worker = 0; worker < workers_; ++worker) {
      process::Job job;
      job.work = [&, worker](const process::Reporter& reporter) {
        reporter.send({{"bytes", put_inputs(file, worker, workers_)}});
        for (std::size_t i = 1 + worker; i < blocks_.ranges.size(); i += workers_) {
          try {
            reporter.send({{"bytes", put(file, outline, solve(i))}});
          } catch (const WiderOutline& found) {
            return reporter.send({{"ranges", found.outline.kept.ranges},
                                  {"values", found.outline.kept.values},
                                  {"said", found.outline.said}});
          }
        }
      };
      job.hear = [&](const nlohmann::json& message) -> bool {
        if (message.contains("bytes")) {
          told(message["bytes"].get<std::uint64_t>());
          return true;
        }
        throw WiderOutline{{{message["ranges"].get<bool>(), message["values"].get<bool>()},
                            message["said"].get<Metadata>()}};  // ends the others too
      };
      job.ended = [&](const process::JobEnd& end) {
        if (!end.failure.empty())
          failure = end.failure;
        else if (end.death)
          failure = fmt::format("{}: {}", path_.string(), end.death->describe());
      };
      pool.add(std::move(job));
    }
    pool.run();
    if (!failure.empty()) throw FormatError(failure);
  }

  const std::filesystem::path& path_;
  const CaseFile& case_;
  const properties::Operation& operation_;
  unsigned workers_;
  const std::function<void(std::uint64_t)>& written_;
  Blocks blocks_;
};

}  // namespace

std::string_view program_version() { return ASSAY_VERSION; }

CaseFile make_case(std::string_view request, const properties::Case& test_case, const Arithmetic& arithmetic,
                   std::uint64_t index, std::uint64_t cases) {
  const properties::Operation& operation = properties::find_operation(test_case.operation);
  CaseFile file{test_case, operation.make_problem(test_case), arithmetic, {}};
  file.metadata = {
      {"source", std::string(kSource)},
      {"format", std::string(kFormat)},
      {"program", std::string(program_version())},
      {"request", std::string(request)},
      {"index", std::to_string(index)},
      {"cases", std::to_string(cases)},
      {"operation", test_case.operation},
      {"case", to_line(test_case)},
      {"notes", std::string(operation.about(test_case))},
      {"generator", std::string(kGenerator)},
      {"dequantize", std::string(properties::name_of(arithmetic.dequantize))},
      {"accumulate", std::string(properties::name_of(arithmetic.accumulate))},
      {"covers", tags_of(operation, file)},
  };
  return file;
}

void write_case(const std::filesystem::path& path, const CaseFile& file, unsigned workers,
                const std::function<void(std::uint64_t bytes)>& written) {
  CaseWriter(path, file, workers, written).write();
}

}  // namespace assay::golden
