#include "harness/fuzz/stop_request.hpp"

#include <csignal>

namespace assay::fuzz {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_asked = 0;

}  // namespace

StopRequest::StopRequest() {
  g_asked = 0;
  struct sigaction note {};
  note.sa_handler = [](int) { g_asked = 1; };
  note.sa_flags = SA_RESTART;
  sigemptyset(&note.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &note, &before_[i]);
}

StopRequest::~StopRequest() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

bool StopRequest::made() const { return g_asked != 0; }

}  // namespace assay::fuzz
