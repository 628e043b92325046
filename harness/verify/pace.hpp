// How fast work goes on and how long it will take, for people who watch it.
#pragma once

#include <string>

namespace assay {

/// "7 s", "3 min 20 s", "2 h 5 min"; rounded to what a person needs.
std::string time_text(double seconds);

/// "312 a second", "1,204 a second", "0.4 a second".
std::string rate_text(double count, double seconds);

/// ", about 3 min 20 s left", where so much of the work (0 to 1) has taken so long; nothing while too little
/// is done to tell.
std::string left_text(double share, double seconds);

}  // namespace assay
