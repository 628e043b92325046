#include "harness/process/batches.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "harness/process/pool.hpp"

namespace assay::process {
namespace {

struct Run {
  Pool pool;
  const std::function<void(const Batch&, const Reporter&)>& work;
  const std::function<void(const nlohmann::json&)>& take;

  void add(Batch batch) {
    const auto open = std::make_shared<Batch>(std::move(batch));  // no message yet
    Job job;
    job.work = [this, open](const Reporter& reporter) { work(*open, reporter); };
    job.hear = [this, open](const nlohmann::json& message) {
      if (message.contains("index")) {
        std::erase(*open, message["index"].get<std::size_t>());
        take(message);
      }
      return true;
    };
    job.ended = [this, open](const JobEnd& end) {
      if (open->size() == 1) {
        throw std::runtime_error(fmt::format("change {} could not be judged: {}", open->front(),
                                             !end.failure.empty() ? end.failure
                                             : end.death          ? end.death->describe()
                                                                  : "no reason"));
      }
      for (const auto index : *open) add({index});
    };
    pool.add(std::move(job));
  }
};

}  // namespace

void run_in_batches(const Slots& slots, const std::vector<std::size_t>& pieces, std::size_t size,
                    const std::function<void(const Batch&, const Reporter&)>& work,
                    const std::function<void(const nlohmann::json&)>& take) {
  Run run{Pool(slots), work, take};
  for (std::size_t i = 0; i < pieces.size(); i += size) {
    const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(i);
    run.add(Batch(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, pieces.size() - i))));
  }
  run.pool.run();
}

}  // namespace assay::process
