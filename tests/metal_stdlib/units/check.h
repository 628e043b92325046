// Checks inside a translation unit that sees the stand-in library: the test program counts and reports them.
#pragma once

/// Reports a failed check to the running test; defined by fake_runtime.cpp.
extern "C" void unit_check_failed(const char* text, const char* file, unsigned line);

#define CHECK(...) ((__VA_ARGS__) ? (void)0 : unit_check_failed(#__VA_ARGS__, __FILE__, __LINE__))
