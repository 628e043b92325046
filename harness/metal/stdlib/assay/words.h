// Metal's words, for clang: read ahead of a kernel's text, behind everything of the library's own.
//
// Clang keeps where they stand as annotations of the variable, parameter, member, method or function that they
// are written at (harness/metal/clang/attributes.hpp). Within a type they are read, and mean nothing: all
// memory is one space here, and a reading of its own holds spaces against each other (clang/spaces.hpp).
#pragma once

#define kernel __attribute__((annotate("kernel_function")))
#define vertex __attribute__((annotate("vertex")))
#define fragment __attribute__((annotate("fragment")))

#define device __attribute__((annotate("device")))
#define constant const __attribute__((annotate("constant")))
#define threadgroup __attribute__((annotate("threadgroup")))
#define thread __attribute__((annotate("thread")))

// Of a union, or of what holds one (harness/metal/clang/unions.hpp).
#define assay_assignment(name)             \
  name& operator=(const name& other) {     \
    assay_msl::copy_object(this, &other);  \
    return *this;                          \
  }

// Ahead of a text, `coherent` and `coherent(device)` have become this word (harness/metal/clang/spelling.hpp).
#define assay_coherent __attribute__((annotate("assay_coherent")))
// Behind the parameters of a member, which is const but for a constructor.
#define constant_object __attribute__((annotate("constant")))

// Calls of checked code are inlined, which is not for the text to forbid.
#define noinline unused
#define __noinline__ unused

// Has it a value? One without is of another unit, whose value nobody knows.
#define is_function_constant_defined(name) __builtin_constant_p(name)
