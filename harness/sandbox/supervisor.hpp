// A program that leaves nothing behind, however it ends.
#pragma once

#include <functional>

namespace assay::sandbox {

/// Runs `work` in a process of its own and waits for its end and for that of everything that it has started;
/// then calls `clean_up` and gives the exit status. Asked to end (SIGINT, SIGTERM, SIGHUP), it ends all of
/// them first, then itself, by that signal; work that `ends_itself` is passed the signal once, to end as it
/// likes. Should this process be killed, they are killed too. Call it before there are threads. Throws
/// std::runtime_error where no process can be had.
int supervised(const std::function<int()>& work, const std::function<void()>& clean_up,
               bool ends_itself = false);

}  // namespace assay::sandbox
