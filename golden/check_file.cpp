#include "golden/check_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "golden/blocks.hpp"
#include "golden/case_file.hpp"
#include "golden/content_hash.hpp"
#include "golden/golden_case.hpp"
#include "golden/model/model_set.hpp"
#include "golden/safetensors_format.hpp"
#include "golden/set_request.hpp"
#include "harness/verify/numbers.hpp"
#include "properties/cases/operation.hpp"

namespace assay::golden {
namespace {

/// Of a file that is looked at by sample, so many blocks that lie evenly in it.
constexpr std::size_t kSampledBlocks = 4;

std::uint64_t number_of(const Metadata& metadata, const std::string& key) {
  const std::string& text = metadata_of(metadata, key);
  const auto value = whole_number_in(text);
  // Written otherwise it would differ from what is made again, and say no other number.
  if (!value || std::to_string(*value) != text) {
    throw FormatError(fmt::format("metadata {}: {} is not a whole number of 64 bits", key, escaped(text)));
  }
  return *value;
}

/// Whether it is of a set of a model's weights.
bool is_of_model(const Metadata& metadata) { return metadata_of(metadata, "source") == kModelSource; }

void check_kind(const Metadata& metadata) {
  const auto check = [&](const char* key, std::string_view wanted) {
    const std::string& value = metadata_of(metadata, key);
    if (value != wanted) {
      throw FormatError(
          fmt::format("metadata {}: is {}, must be \"{}\"; make the set again", key, escaped(value), wanted));
    }
  };
  if (!is_of_model(metadata)) check("source", kSource);
  check("format", kFormat);
}

PlannedSet set_of(const Metadata& metadata) {
  try {
    return plan_set(parse_request(metadata_of(metadata, "request")));
  } catch (const std::invalid_argument& wrong) {
    throw FormatError(fmt::format("metadata request: {}", wrong.what()));
  }
}

/// What of an outputs' tensors a file has, by their names.
Kept kept_in(const Header& header, const std::string& output) {
  const std::string name = expected_name(output);
  return {header.find(name + ".low") != nullptr, header.find(name + ".value") != nullptr};
}

/// One file against the case that it says it is.
class FileCheck {
 public:
  FileCheck(const InputFile& file, const Header& header, const CaseFile& made, Solve solve)
      : file_(file),
        header_(header),
        made_(made),
        operation_(properties::find_operation(made.problem.operation)),
        solve_(solve) {}

  std::vector<std::string> differences() {
    for (const Tensor& tensor : made_.problem.inputs) {
      layout_.push_back({tensor.name, tensor.dtype, tensor.shape});
      if (fits(layout_.back())) compare(tensor.name, 0, tensor.data);
    }
    check_answers();
    check_metadata();
    check_names();
    if (lines_.empty() && solve_ == Solve::all) check_front();
    return std::move(lines_);
  }

 private:
  void differ(const std::string& what) { lines_.push_back(what); }

  bool fits(const TensorLayout& wanted) {
    const HeaderEntry* const there = header_.find(wanted.name);
    if (there == nullptr) {
      differ(fmt::format("tensor {}: missing", wanted.name));
    } else if (there->shape != wanted.shape || dtype_of(file_, *there) != wanted.dtype) {
      differ(fmt::format("tensor {}: type or shape is not that of the case", wanted.name));
    } else {
      return true;
    }
    misfits_.insert(wanted.name);
    return false;
  }

  /// Elements of a tensor from that one on, which the file is known to have.
  void compare(const std::string& tensor, std::size_t first, std::span<const std::byte> wanted) {
    if (misfits_.contains(tensor)) return;
    const HeaderEntry& there = *header_.find(tensor);
    const std::size_t size = element_bytes(there.dtype);
    std::vector<std::byte> found(wanted.size());
    file_.read(header_.data_at + there.begin + std::uint64_t{first} * size, found);
    if (std::memcmp(found.data(), wanted.data(), wanted.size()) == 0) return;
    const auto at = static_cast<std::size_t>(std::mismatch(found.begin(), found.end(), wanted.begin()).first -
                                             found.begin());
    differ(fmt::format("tensor {}: element {} differs from the value computed again", tensor,
                       first + at / size));
    misfits_.insert(tensor);  // one line says it
  }

  void check_answers() {
    const Blocks blocks = blocks_of(operation_, made_.problem);
    const std::size_t count = blocks.ranges.size();
    const std::size_t wanted = solve_ == Solve::all ? count : std::min(count, kSampledBlocks);
    Kept needed;
    for (std::size_t i = 0; i < wanted; ++i) {
      const std::size_t number = wanted == 1 ? 0 : i * (count - 1) / (wanted - 1);
      const auto answers = solve_block(operation_, made_.problem, made_.arithmetic, blocks, number);
      for (const BlockAnswer& answer : answers) {
        const Kept kept = kept_in(header_, answer.whole.name);
        needed = needed.with(answer.kept());
        if (i == 0) {
          for (TensorLayout& one : layout_of(answer.whole, kept)) {
            fits(one);
            layout_.push_back(std::move(one));
          }
        }
        note_words(answer);
        // Ranges of an exact block beside those of others.
        if (!answer.exact.empty() && kept != Kept{}) {
          differ(fmt::format("tensor expected.{}.low: is not needed, because every answer is exact",
                             answer.whole.name));
          continue;
        }
        answer.each_run(kept, [&](const std::string& tensor, std::size_t first, auto bytes) {
          compare(tensor, first, bytes);
        });
      }
    }
    for (const OutputSpec& output : made_.problem.outputs) check_kept(output.name, needed, wanted == count);
  }

  /// Does the file keep of an output what it needs, and, where all blocks are known, no more?
  void check_kept(const std::string& output, const Kept& needed, bool known) {
    const Kept kept = kept_in(header_, output);
    const auto check = [&](bool has, bool needs, const char* suffix) {
      if (needs && !has) differ(fmt::format("tensor expected.{}{}: missing", output, suffix));
      if (known && has && !needs) differ(fmt::format("tensor expected.{}{}: is not needed", output, suffix));
    };
    check(kept.ranges, needed.ranges, ".low");
    check(kept.values, needed.values, ".value");
  }

  /// The words of the first block, or of the first whose answers are ranges where some are.
  void note_words(const BlockAnswer& answer) {
    const std::string& output = answer.whole.name;
    const bool ranges = answer.kept().ranges;
    if (said_.contains("bound." + output) && (!ranges || !ranged_.insert(output).second)) return;
    if (ranges) ranged_.insert(output);
    said_["bound." + output] = answer.expected.bound;
    said_["signed_zero." + output] = answer.expected.signed_zero ? "true" : "false";
  }

  void check_metadata() {
    Metadata wanted = made_.metadata;
    wanted.merge(said_);
    // By a sample it is not known what all answers are like.
    for (const auto& [key, value] : wanted) {
      const auto there = header_.metadata.find(key);
      if (there == header_.metadata.end()) {
        differ(fmt::format("metadata {}: missing", key));
      } else if (there->second != value && (solve_ == Solve::all || !key.starts_with("bound."))) {
        differ(fmt::format("metadata {}: is {}, but {} when computed again", key, escaped(there->second),
                           escaped(value)));
      }
    }
    for (const auto& [key, value] : header_.metadata) {
      if (!wanted.contains(key) && key != kHashKey)
        differ(fmt::format("metadata {}: not part of format {}", key, kFormat));
    }
  }

  void check_names() {
    for (const HeaderEntry& entry : header_.entries) {
      const bool known = std::any_of(layout_.begin(), layout_.end(),
                                     [&](const TensorLayout& one) { return one.name == entry.name; });
      if (!known) differ(fmt::format("tensor {}: not part of the case", escaped(entry.name)));
    }
  }

  /// Not a byte of the header is other than it would be written.
  void check_front() {
    std::string front = front_of(file_.path(), header_.metadata, layout_).bytes;
    const std::string& hash = header_.metadata.at(std::string(kHashKey));
    std::string found(static_cast<std::size_t>(header_.data_at), '\0');
    file_.read(0, std::as_writable_bytes(std::span(found)));
    const std::uint64_t place = place_of_hash(file_, header_);
    if (front.size() == found.size()) front.replace(static_cast<std::size_t>(place), kHashDigits, hash);
    if (front != found) differ("header: is not written as it would be made again");
  }

  const InputFile& file_;
  const Header& header_;
  const CaseFile& made_;
  const properties::Operation& operation_;
  Solve solve_;
  std::vector<TensorLayout> layout_;
  std::set<std::string> misfits_, ranged_;
  Metadata said_;
  std::vector<std::string> lines_;
};

FileIdentity identity_in(const Metadata& metadata, const std::string& set) {
  FileIdentity identity{set, number_of(metadata, "index"), number_of(metadata, "cases")};
  if (identity.index >= identity.cases) {
    throw FormatError(
        fmt::format("metadata index: {} is not below cases, {}", identity.index, identity.cases));
  }
  return identity;
}

FileIdentity identity_in(const Metadata& metadata, const PlannedSet& set) {
  FileIdentity identity = identity_in(metadata, set.name);
  if (identity.cases != set.cases.size()) {
    throw FormatError(
        fmt::format("metadata cases: is {}, the request gives {}", identity.cases, set.cases.size()));
  }
  return identity;
}

/// Of a model's weights: which set the file is of follows from its name alone.
FileIdentity identity_of_model(const std::filesystem::path& path, const Metadata& metadata) {
  const auto name = parse_file_name(path.filename().string());
  if (!name) throw FormatError("name: must be SET-INDEX.safetensors");
  FileIdentity identity = identity_in(metadata, name->set);
  if (identity.index != name->index)
    throw FormatError(fmt::format("metadata index: is {}, the name says {}", identity.index, name->index));
  return identity;
}

/// A file of a model's weights as it says it is: its inputs are taken from it, answers follow from them.
CaseFile case_in(const std::filesystem::path& path, const Metadata& metadata) {
  GoldenCase golden = read_inputs(path);
  CaseFile file{properties::parse_line(metadata_of(metadata, "case")), std::move(golden.problem),
                golden.arithmetic, metadata};
  std::erase_if(file.metadata, [](const auto& one) {
    return one.first == kHashKey || one.first.starts_with("bound.") || one.first.starts_with("signed_zero.");
  });
  return file;
}

}  // namespace

FileIdentity identity_of(const std::filesystem::path& path) {
  const Header header = read_header(InputFile(path));
  check_kind(header.metadata);
  if (is_of_model(header.metadata)) return identity_of_model(path, header.metadata);
  return identity_in(header.metadata, set_of(header.metadata));
}

std::vector<std::string> differences_of(const std::filesystem::path& path, Solve solve) {
  const InputFile file(path);
  const Header header = read_header(file);
  check_kind(header.metadata);
  check_hash(file, header);
  if (is_of_model(header.metadata)) {
    identity_of_model(path, header.metadata);
    const CaseFile stated = case_in(path, header.metadata);
    return solve == Solve::nothing ? std::vector<std::string>()
                                   : FileCheck(file, header, stated, solve).differences();
  }
  const PlannedSet set = set_of(header.metadata);
  const FileIdentity identity = identity_in(header.metadata, set);
  const auto& [name, test_case] = set.cases[identity.index];
  std::vector<std::string> lines;
  if (path.filename() != name) lines.push_back(fmt::format("name: must be {}", name));
  const std::string line = to_line(test_case);
  if (metadata_of(header.metadata, "case") != line) {
    lines.push_back(fmt::format("metadata case: is {}, the request gives {}",
                                escaped(metadata_of(header.metadata, "case")), escaped(line)));
    return lines;
  }
  if (solve == Solve::nothing) return lines;
  const CaseFile made = make_case(set.request, test_case, set.arithmetic, identity.index, identity.cases);
  const auto more = FileCheck(file, header, made, solve).differences();
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

}  // namespace assay::golden
