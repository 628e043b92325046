#include "harness/mutate/mutation_journal.hpp"

#include <fmt/format.h>

#include "harness/metal/compile/errors.hpp"
#include "harness/metal/compile/toolchain.hpp"

namespace assay::mutate {

namespace fs = std::filesystem;

MutationJournal::MutationJournal(const MutatedKernel& kernel, std::uint64_t cases, std::uint64_t seed,
                                 const Shard& shard) {
  const auto& entry = *kernel.entry;
  const auto key = metal::content_hash(
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}", metal::content_hash(metal::content_of("/proc/self/exe")),
                  metal::content_of(entry.manifest), entry.name, kernel.text, cases, seed));
  const auto directory = metal::toolchain().cache / "mutation";
  std::error_code failed;
  fs::create_directories(directory, failed);
  const auto part = shard.whole() ? "" : fmt::format("-{}-of-{}", shard.index, shard.of);
  path_ = directory / (key + part + ".jsonl");
}

void MutationJournal::clear() {
  std::error_code failed;
  fs::remove(path_, failed);
}

std::map<std::size_t, MutantResult> MutationJournal::read() const {
  std::map<std::size_t, MutantResult> known;
  std::ifstream in(path_);
  for (std::string line; std::getline(in, line);) {
    try {
      const auto result = mutant_result_from_json(nlohmann::json::parse(line));
      known[result.index] = result;
    } catch (const std::exception&) {
      continue;  // cut short when the run was stopped
    }
  }
  return known;
}

void MutationJournal::add(const MutantResult& result) {
  if (!out_.is_open()) {
    out_.open(path_, std::ios::app);
    out_ << '\n';  // ends a line that was cut short
  }
  out_ << to_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  if (!out_) throw metal::ToolchainError(fmt::format("cannot write {}; make room", path_.string()));
}

}  // namespace assay::mutate
