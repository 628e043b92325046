// A program that leaves nothing behind, however it ends.
#pragma once

#include <functional>

namespace assay::sandbox {

/// What a program that was asked to end gives its caller.
enum class AskedToEnd {
  ends_by_signal,  ///< whatever the work says then, the program ends by that signal, as shells expect
  gives_status,    ///< the end is a regular one: the status of the work, which takes the time that it needs
};

/// Runs `work` in a process of its own and waits for its end and for that of everything that it has started;
/// then calls `clean_up` and gives the exit status. Asked to end (SIGINT, SIGTERM, SIGHUP), it passes the
/// signal on to the work, which may say its last words; work that takes longer than kLastWords_ms for them,
/// or that is asked a second time, is killed. Then all that the work has started ends. Should this process be
/// killed, they are killed too. Call it before there are threads. Throws std::runtime_error where no process
/// can be had.
int supervised(const std::function<int()>& work, const std::function<void()>& clean_up,
               AskedToEnd asked = AskedToEnd::ends_by_signal);

/// A run that was asked to end is over within a second.
inline constexpr int kLastWords_ms = 800;

}  // namespace assay::sandbox
