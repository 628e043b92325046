#include "harness/process/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace assay::process {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t g_installed = 0;  // an InterruptScope is there
volatile std::sig_atomic_t g_noting = 0;     // so many Interruptible are
volatile std::sig_atomic_t g_asked = 0;      // the signal; 0: none
volatile std::sig_atomic_t g_terminal = 0;   // standard error is one, on which a progress line may stand

void note(int number) {
  if (g_asked != 0) return;
  if (g_noting > 0) {
    g_asked = number;
    return;
  }
  constexpr std::string_view kClearLine = "\r\033[K", kWords = "assay: interrupted\n";
  [[maybe_unused]] ssize_t written = 0;
  if (g_terminal != 0) written = write(STDERR_FILENO, kClearLine.data(), kClearLine.size());
  written = write(STDERR_FILENO, kWords.data(), kWords.size());
  std::signal(number, SIG_DFL);
  std::raise(number);  // ends the process when this handler returns
}

}  // namespace

InterruptScope::InterruptScope() {
  g_asked = 0;
  g_terminal = isatty(STDERR_FILENO);
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
  g_installed = 1;
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  g_installed = 0;
  g_asked = 0;
}

Interruptible::Interruptible() { g_noting = g_noting + 1; }
Interruptible::~Interruptible() { g_noting = g_noting - 1; }

void throw_if_interrupted() {
  if (g_asked != 0) throw Interrupted(static_cast<int>(g_asked));
}

void forget_interrupts() {
  if (g_installed == 0) return;
  g_installed = 0;
  g_asked = 0;
  for (const int number : kSignals) std::signal(number, SIG_DFL);
}

}  // namespace assay::process
