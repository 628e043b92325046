// Pieces of work, several processes at a time, that survive the death of any of them.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/child.hpp"
#include "cli/slots.hpp"

namespace assay::cli {

/// Numbers of pieces that share a process, and so the start of a compiler.
using Batch = std::vector<std::size_t>;

/// Pieces in batches of that size, and the last of what is left.
std::vector<Batch> in_batches(const std::vector<std::size_t>& pieces, std::size_t size);

/// Runs batches, each while it has a slot. `work` runs in the child and sends one message with the field
/// "index" for each piece; `take` gets these. A process that dies leaves its batch to be done one by one.
class Batches {
 public:
  using Work = std::function<void(const Batch&, const Reporter&)>;
  using Take = std::function<void(const nlohmann::json&)>;

  Batches(const Slots& slots, Work work, Take take);

  /// Throws std::runtime_error where a piece takes its process down alone.
  void run(std::vector<Batch> batches);

 private:
  struct Worker {
    Slot slot;
    Batch open;  // no message yet
    std::unique_ptr<Child> child;
    std::string why;  // it says that it failed
  };

  void start(Slot slot);
  bool listen(Worker& worker);

  const Slots& slots_;
  Work work_;
  Take take_;
  std::vector<Batch> waiting_;
  std::list<Worker> running_;
};

}  // namespace assay::cli
