// <metal_logging>: what is logged goes nowhere.
#pragma once
#include "metal/type_traits.h"

namespace assay_msl {

/// Arguments are evaluated, and no more.
struct os_log {
  constexpr os_log() = default;
  constexpr os_log(const char*, const char*) {}
#define ASSAY_LOG(name)       \
  template <class... A>       \
  ASSAY_INLINE void name(const char*, A...) const {}
  ASSAY_LOG(log)
  ASSAY_LOG(log_debug)
  ASSAY_LOG(log_info)
  ASSAY_LOG(log_error)
  ASSAY_LOG(log_fault)
#undef ASSAY_LOG
};

}  // namespace assay_msl

namespace metal {
using assay_msl::os_log;
constexpr os_log os_log_default;
}  // namespace metal
