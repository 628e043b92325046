// What an error says, for tests of its words.
#pragma once

#include <stdexcept>
#include <string>

namespace assay {

/// what() of the Error that `run` throws; "no error" where it throws nothing.
template <class Error = std::invalid_argument, class F>
std::string error_of(F&& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace assay
