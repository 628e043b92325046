// One kernel, run on small sizes in buffers that have room to spare: where do its accesses end?
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/device/options.hpp"
#include "assay/problem.hpp"
#include "harness/draft/measure.hpp"

namespace assay::draft {

/// What a launch did to each of MeasureRequest::arguments, and behind these to each texture index.
struct Reach {
  std::size_t elements = 0;  ///< up to the last that was touched: of a texture, texels
  bool loaded = false, stored = false;
  bool filled = false;  ///< of a texture: as many bytes were stored as it has
  std::size_t stored_bytes = 0;
  /// What is touched, however often.
  bool operator==(const Reach& other) const {
    return elements == other.elements && loaded == other.loaded && stored == other.stored &&
           filled == other.filled;
  }
};

/// What inputs hold while a kernel is run: all of them, or one of what Reach is about, the others being as
/// usual.
struct Contents {
  enum class Of { ones, threes, zeros, minus_ones, counting };
  Of of = Of::ones;
  std::optional<std::size_t> only = {};
  Of at(std::size_t number) const { return !only || *only == number ? of : Of::ones; }
};

class Probe {
 public:
  /// Compiles the kernel. Its launches may take so many seconds of processor time: what is found must not
  /// depend on how busy the machine is. Throws as device::Device::load() does.
  Probe(const MeasureRequest& request, double limit_s, device::Mode mode = device::Mode::counted);
  ~Probe();

  /// Its time runs from now on; else from its first launch.
  void begin() { in_time(); }

  /// Nothing where the launch faulted, cannot be made, or time is up.
  std::optional<std::vector<Reach>> run(const Dims& dims, const device::Size3& grid,
                                        const Contents& contents = {});

  /// Of a probe in checked mode: all faults of a launch; nothing where it could not be run, or time is up.
  std::optional<std::vector<device::Fault>> faults(const Dims& dims, const device::Size3& grid,
                                                   const Contents& contents = {});
  /// The same of the first threadgroup at the first sizes: the first fault between its threads, or in memory
  /// that is theirs; "" where there is none.
  std::optional<std::string> fault_inside();

  /// Of the first launch that faulted, what happened.
  const std::string& fault() const { return fault_; }
  /// Was a launch left out since time was up?
  bool late() const { return late_; }

 private:
  bool in_time();
  std::optional<std::vector<Reach>> launch(const Dims& dims, const device::Size3& grid,
                                           const Contents& contents);
  /// Launches with what bind_all() has bound, and textures, samplers and threadgroup memory.
  device::LaunchReport dispatch(device::Dispatch& launch, const Dims& dims, const device::Size3& grid,
                                const Contents& contents, std::vector<device::BufferId>& made);
  device::Argument bind(std::size_t index, const Dims& dims, Contents::Of contents,
                        std::vector<device::BufferId>& made);
  /// Memory with these bytes.
  device::BufferSlice filled(const std::vector<std::byte>& bytes, std::vector<device::BufferId>& made);
  /// Binds the arguments, and what pointers lead to; says of each argument which pointer leads to it.
  std::map<std::size_t, std::size_t> bind_all(device::Dispatch& launch, const Dims& dims,
                                              const Contents& contents, std::vector<device::BufferId>& made);
  std::optional<device::Texture> bind_texture(std::size_t index, const Dims& dims, Contents::Of contents,
                                              std::vector<device::BufferId>& made);
  /// Memory of `room` bytes, usually with room to spare: with these contents or, if it may be written to,
  /// zeros. `number`: as Reach has them.
  device::BufferId memory(std::size_t number, const std::string& type, bool writable, Contents::Of contents,
                          std::size_t room, std::vector<device::BufferId>& made);

  const MeasureRequest& request_;
  double limit_s_;
  std::optional<double> begun_s_;  // of the process that launches, which another may have forked
  std::unique_ptr<device::Device> device_;
  device::KernelId kernel_{};
  std::map<std::string, std::optional<std::vector<Reach>>> known_;
  std::map<std::size_t, device::BufferId> inputs_;  // by their number, filled as always
  std::string fault_;
  bool late_ = false;
};

/// Bytes of a type that manifests name.
std::size_t bytes_of_type(const std::string& type);

}  // namespace assay::draft
