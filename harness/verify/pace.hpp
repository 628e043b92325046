// How fast work goes on and how long it will take, for people who watch it.
#pragma once

#include <chrono>
#include <string>

namespace assay {

/// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "7 s", "3 min 20 s", "2 h 5 min"; rounded to what a person needs.
std::string time_text(double seconds);

/// "312 a second", "1,204 a second", "0.4 a second": a tenth is shown below 10.
std::string rate_text(double count, double seconds);

/// ", about 3 min 20 s left", where so much of the work (0 to 1) has taken so long; nothing while too little
/// is done to tell.
std::string left_text(double share, double seconds);

}  // namespace assay
