#include "harness/fuzz/kernel_text.hpp"

#include <algorithm>
#include <exception>

#include "harness/metal/compile/toolchain.hpp"
#include "harness/metal/text/preprocess.hpp"
#include "harness/metal/text/token.hpp"

namespace assay::fuzz {

namespace fs = std::filesystem;

KernelText::KernelText(const KernelEntry& entry) : entry_(entry) { read(); }

void KernelText::refresh() {
  const bool changed = std::any_of(files_.begin(), files_.end(),
                                   [](const auto& one) { return stamp_of(one.first) != one.second; });
  if (changed) read();
}

KernelText::Stamp KernelText::stamp_of(const fs::path& file) {
  std::error_code gone;
  const auto time = fs::last_write_time(file, gone);
  const auto size = fs::file_size(file, gone);
  return {time, size};
}

void KernelText::read() {
  files_.clear();
  files_[entry_.source];
  for (const auto& file : entry_.text_prefix) files_[file];
  try {
    const auto source = entry_.kernel_source();
    for (const auto& file : metal::tokenize(metal::preprocess(source), source.path.string()).files)
      files_[file];
  } catch (const std::exception&) {
    // The engine says what is wrong with it.
  }
  std::string all;
  for (auto& [file, stamp] : files_) {
    stamp = stamp_of(file);
    all += metal::content_hash(metal::content_of(file));
  }
  hash_ = metal::content_hash(all);
}

}  // namespace assay::fuzz
