// Tests of what is late: its processor time runs out while it calls nothing.
#pragma once

#include <gtest/gtest.h>

/// First in a test that needs a handler to interrupt such code. ThreadSanitizer keeps signals back until the
/// program calls the C library.
#ifdef ASSAY_UNDER_THREAD_SANITIZER
#define ASSAY_NEEDS_SIGNALS_AT_ONCE() \
  GTEST_SKIP() << "ThreadSanitizer keeps a signal back until the program calls the C library"
#else
#define ASSAY_NEEDS_SIGNALS_AT_ONCE() static_cast<void>(0)
#endif
