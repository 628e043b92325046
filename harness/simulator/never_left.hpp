// Functions that lie on the stack of a lane when it ends, as sanitizers are told of them.
#pragma once

// ThreadSanitizer has room for 65,536 functions that were entered and not left, and nobody leaves these.
// AddressSanitizer would clean the stack of a function that never returns, in each that calls such a one; it
// does not know where that of a lane ends, and says so on standard error, where a confined process may not
// be allowed to write.
#ifndef ASSAY_UNDER_SANITIZER
#define ASSAY_NEVER_LEFT
#elif !defined(ASSAY_UNDER_THREAD_SANITIZER)
#define ASSAY_NEVER_LEFT __attribute__((no_sanitize_address))
#elif defined(__clang__)
#define ASSAY_NEVER_LEFT __attribute__((disable_sanitizer_instrumentation))
#else
#define ASSAY_NEVER_LEFT __attribute__((no_sanitize_thread))
#endif
