// How many floating-point operations a second one core does at most, in double precision.
#pragma once

namespace assay::benchmarks {

/// Fused multiply-adds on registers, counted as two operations each, in the widest vectors that the processor
/// has, or narrower ones where those do more: independent chains, more of them than are in flight at a time,
/// in the best of some runs of a few milliseconds of processor time.
double fp64_peak();

}  // namespace assay::benchmarks
