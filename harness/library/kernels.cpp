#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <variant>

#include "assay/kernel.hpp"
#include "harness/run/manifests.hpp"

namespace assay {
namespace {

const std::string& name_in(const std::variant<KernelEntry, FaultyEntry>& entry) {
  return std::visit([](const auto& one) -> const std::string& { return one.name; }, entry);
}

}  // namespace

Kernel::Kernel(KernelEntry entry) : entry_(std::make_shared<const KernelEntry>(std::move(entry))) {}

const std::string& Kernel::name() const { return entry_->name; }

const std::string& Kernel::operation() const { return entry_->operation; }

Kernels::Kernels(Manifest manifest) : manifest_(std::make_shared<const Manifest>(std::move(manifest))) {}

Kernel Kernels::operator[](std::string_view name) const {
  for (const auto& entry : manifest_->entries) {
    if (name_in(entry) != name) continue;
    if (const auto* faulty = std::get_if<FaultyEntry>(&entry)) throw faulty->error;
    return Kernel(std::get<KernelEntry>(entry));
  }
  throw std::invalid_argument(fmt::format("{}: no kernel \"{}\"; there are {}", manifest_->file.string(),
                                          name, fmt::join(names(), ", ")));
}

std::vector<Kernel> Kernels::all() const {
  std::vector<Kernel> all;
  for (auto& entry : manifest_->sound()) all.emplace_back(std::move(entry));
  return all;
}

std::vector<std::string> Kernels::names() const {
  std::vector<std::string> all;
  for (const auto& entry : manifest_->entries) {
    if (!name_in(entry).empty()) all.push_back(name_in(entry));
  }
  return all;
}

Kernels load_manifest(const std::filesystem::path& file) { return Kernels(run::load_entries(file.string())); }

std::vector<std::string> kernel_names(const std::filesystem::path& manifest) {
  return Kernels(read_entries(manifest)).names();
}

}  // namespace assay
