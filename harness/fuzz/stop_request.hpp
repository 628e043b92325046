// Being asked to end.
#pragma once

#include <array>
#include <csignal>
#include <utility>

namespace assay::fuzz {

/// While it is there, SIGINT, SIGTERM and SIGHUP do not end this process: they are noted. One at a time.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool made() const;

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace assay::fuzz
