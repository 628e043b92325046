#include "golden/model/model_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <system_error>

#include "golden/case_file.hpp"
#include "golden/golden_case.hpp"
#include "golden/safetensors_format.hpp"
#include "golden/safetensors_header.hpp"
#include "golden/set_words.hpp"
#include "harness/verify/numbers.hpp"
#include "harness/verify/shown.hpp"

namespace assay::golden {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kProducts = {"gemm_fp4", "gemm_s4", "gemm_trellis", "gemm_u4", "rans_gemm"};
constexpr std::size_t kHashedBytes = std::size_t{1} << 20;

std::size_t tokens_of(const ModelRequest& request) {
  if (request.shapes.empty()) return QuantizeOptions().tokens;
  const std::string& shape = request.shapes.front();
  const auto tokens = shape.starts_with("M=") ? whole_number_in(shape.substr(2)) : std::nullopt;
  if (request.shapes.size() > 1 || !tokens || *tokens < 1 || *tokens > 1'000'000)
    refuse("shape", "with --from only the number of tokens can be given, from 1 to 1,000,000: M=16");
  return static_cast<std::size_t>(*tokens);
}

QuantizeOptions options_of(const ModelRequest& request) {
  QuantizeOptions options{.tokens = tokens_of(request), .seed = request.seed};
  if (request.group_size) options.group_size = static_cast<std::size_t>(*request.group_size);
  if (request.bits) options.bits = static_cast<unsigned>(*request.bits);
  if (options.group_size % 8 != 0) refuse("group_size", "must be a multiple of 8");
  if (options.bits < 2 || options.bits > 4) refuse("bits", "must be 2, 3 or 4");
  return options;
}

/// The weights of a matrix: their bytes as a hash.
std::string hash_of(const ModelFile& file, const MatrixInfo& matrix) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_128bits_reset(state.get());
  const std::size_t rows = std::max<std::size_t>(1, kHashedBytes / sizeof(float) / matrix.columns);
  std::vector<float> values(std::min(rows, matrix.rows) * matrix.columns);
  for (std::size_t row = 0; row < matrix.rows; row += rows) {
    const auto some = std::span(values).first((std::min(row + rows, matrix.rows) - row) * matrix.columns);
    file.read_rows(matrix, row, std::min(row + rows, matrix.rows), some);
    const auto infinite =
        std::find_if(some.begin(), some.end(), [](float one) { return !std::isfinite(one); });
    if (infinite != some.end()) {
      const auto at = static_cast<std::size_t>(infinite - some.begin());
      throw Refused(fmt::format("{}: tensor {}: row {}, column {} is {}; weights must be finite",
                                escaped(file.path().string(), std::string::npos), escaped(matrix.name),
                                row + at / matrix.columns, at % matrix.columns, *infinite));
    }
    XXH3_128bits_update(state.get(), some.data(), some.size_bytes());
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// One matrix in one format.
struct Target {
  const MatrixInfo* matrix = nullptr;
  const properties::Operation* operation = nullptr;
  properties::Case test_case;
  std::string hash;  ///< of the matrix
};

class ModelSet {
 public:
  ModelSet(const ModelRequest& request, const fs::path& directory)
      : request_(request),
        directory_(directory),
        file_(request.model),
        options_(options_of(request)),
        arithmetic_(arithmetic_of(request.arithmetic)) {
    const std::string line = to_line(request);
    const std::string stem = request.model.stem().string();
    for (const char c : stem)
      name_ += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ? c : '_';
    name_ += fmt::format("-{}-{:08x}", request.seed,
                         static_cast<std::uint32_t>(XXH3_64bits(line.data(), line.size())));
    choose();
  }

  MadeModel make(const MakeOptions& options) {
    const std::vector<PlannedFile> files = planned();
    std::vector<PlannedFile> own;
    for (std::size_t index = 0; index < files.size(); ++index) {
      if (options.shard.takes(index)) own.push_back(files[index]);
    }
    MadeModel model{.made = {}, .reports = std::move(refused_), .left_out = file_.left_out()};
    model.made.of = files.size();
    model.made.removed = remove_later(name_, files.size(), directory_, options.shard);
    write_files(own, options, model.made);
    model.made.index = write_index(name_, files, directory_);
    std::vector<WeightReport> reports;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (options.shard.takes(i)) reports.push_back(report_in(files[i].path, *targets_[i].matrix));
    }
    model.reports.insert(model.reports.begin(), reports.begin(), reports.end());
    return model;
  }

 private:
  bool is_chosen(const std::string& name) const {
    const auto& patterns = request_.tensors;
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
             return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
           });
  }

  void choose() {
    std::size_t matrices = 0;
    for (const MatrixInfo& matrix : file_.matrices()) {
      if (!is_chosen(matrix.name)) continue;
      ++matrices;
      choose_formats(matrix);
    }
    if (matrices != 0) return;
    const std::string file = escaped(file_.path().string(), std::string::npos);
    if (request_.tensors.empty()) throw FormatError(file + ": has no matrix of F32, F16 or BF16");
    refuse("tensor",
           fmt::format("no matrix of {} has a name like {}", file, fmt::join(request_.tensors, ", ")));
  }

  void choose_formats(const MatrixInfo& matrix) {
    std::string hash;
    for (const std::string& name : request_.operations.empty() ? kProducts : request_.operations) {
      const properties::Operation& operation = properties::find_operation(name);
      try {
        const Dims dims = model_dims(operation, file_, matrix, options_);
        if (hash.empty()) hash = hash_of(file_, matrix);
        targets_.push_back(
            {&matrix,
             &operation,
             {.operation = name, .dims = dims, .regime = "random", .knobs = {}, .seed = request_.seed},
             hash});
      } catch (const Refused& refused) {
        refused_.push_back(report_of(matrix, operation, refused));
      }
    }
  }

  Metadata identity_of_target(std::size_t index) const {
    const Target& target = targets_[index];
    return {
        {"source", std::string(kModelSource)},
        {"format", std::string(kFormat)},
        {"program", std::string(program_version())},
        {"request", to_line(request_)},
        {"index", std::to_string(index)},
        {"cases", std::to_string(targets_.size())},
        {"operation", target.test_case.operation},
        {"case", properties::to_line(target.test_case)},
        {"model", request_.model.filename().string()},
        {"tensor", target.matrix->name},
        {"tensor_hash", target.hash},
        {"dequantize", std::string(properties::name_of(arithmetic_.dequantize))},
        {"accumulate", std::string(properties::name_of(arithmetic_.accumulate))},
    };
  }

  std::vector<PlannedFile> planned() const {
    std::vector<PlannedFile> files;
    for (std::size_t index = 0; index < targets_.size(); ++index) {
      PlannedFile& file = files.emplace_back();
      file.path = directory_ / file_name(name_, index);
      file.identity = identity_of_target(index);
      file.work = bytes_of_case(targets_[index].test_case);
      file.write = [this, index, path = file.path](unsigned workers, const auto& written) {
        write_case(path, quantized(index, workers), workers, written);
      };
    }
    return files;
  }

  CaseFile quantized(std::size_t index, unsigned threads) const {
    const Target& target = targets_[index];
    QuantizeOptions options = options_;
    options.threads = threads;
    Quantized made = quantize(*target.operation, file_, *target.matrix, options);
    CaseFile file{target.test_case, std::move(made.problem), arithmetic_, identity_of_target(index)};
    file.metadata["notes"] =
        fmt::format("weights of {} {}, {} x {}, quantized; activations by seed", name_of(target.matrix->type),
                    target.matrix->name, target.matrix->rows, target.matrix->columns);
    const auto say = [&](const char* key, double value) {
      file.metadata[key] = fmt::format("{:.9g}", value);
    };
    say("maximum_error", made.error.maximum);
    say("rms_error", made.error.rms);
    say("relative_error", made.error.relative);
    say("bits_per_weight", made.bits_per_weight);
    if (made.entropy) {
      say("entropy", made.entropy->matrix);
      say("entropy_of_tiles", made.entropy->tiles);
      say("entropy_of_streams", made.entropy->streams);
    }
    return file;
  }

  /// What a file says of its errors.
  static WeightReport report_in(const fs::path& path, const MatrixInfo& matrix) {
    const Header header = read_header(InputFile(path));
    const auto number = [&](const char* key) {
      return std::strtod(metadata_of(header.metadata, key).c_str(), nullptr);
    };
    WeightReport report{.tensor = matrix.name,
                        .rows = matrix.rows,
                        .columns = matrix.columns,
                        .type = matrix.type,
                        .operation = metadata_of(header.metadata, "operation"),
                        .error = {number("maximum_error"), number("rms_error"), number("relative_error")},
                        .bits_per_weight = number("bits_per_weight")};
    if (header.metadata.contains("entropy"))
      report.entropy = {number("entropy"), number("entropy_of_tiles"), number("entropy_of_streams")};
    return report;
  }

  const ModelRequest& request_;
  const fs::path& directory_;
  ModelFile file_;
  QuantizeOptions options_;
  Arithmetic arithmetic_;
  std::string name_;
  std::vector<Target> targets_;
  std::vector<WeightReport> refused_;
};

}  // namespace

std::string to_line(const ModelRequest& request) {
  const auto plain = [](const std::string& name) {
    const std::string quoted = escaped(name, std::string::npos);
    const bool same = quoted.size() == name.size() + 2 && name.find(' ') == std::string::npos;
    return same ? name : quoted;
  };
  std::string line = fmt::format("from={} seed={} tokens={}", plain(request.model.filename().string()),
                                 request.seed, tokens_of(request));
  for (const std::string& one : request.tensors) line += " tensor=" + plain(one);
  for (const std::string& one : request.operations) line += " operation=" + plain(one);
  if (request.group_size) line += fmt::format(" group_size={}", *request.group_size);
  if (request.bits) line += fmt::format(" bits={}", *request.bits);
  if (request.arithmetic) line += " arithmetic=" + plain(*request.arithmetic);
  return line;
}

MadeModel make(const ModelRequest& request, const fs::path& directory, const MakeOptions& options) {
  ModelSet set(request, directory);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error)
    throw FormatError(
        fmt::format("{}: cannot be made as a directory: {}", directory.string(), error.message()));
  return set.make(options);
}

}  // namespace assay::golden
