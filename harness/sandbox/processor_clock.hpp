// How much processor time a process may take at a stretch: what it waits for others does not count.
#pragma once

namespace assay::sandbox {

/// From now on, in this process and in those that are forked from it: so much at a stretch, where
/// start_processor_clock() is called. Infinite: no limit.
void limit_processor_time(double seconds);
/// What was set last; infinite: nothing.
double processor_time_limit();

/// Begins a stretch. Behind its end SIGPROF comes again and again, each after some more processor time: what
/// watch_faults() makes of it tells where the process is, and ends it.
void start_processor_clock();

/// Begins another stretch, in a process that has begun one.
void restart_processor_clock();

/// Has this process begun one? For handlers of signals.
bool processor_clock_runs();

}  // namespace assay::sandbox
