#include "harness/verify/value_requirements.hpp"

namespace assay {

bool is_value_requirement(std::string_view name) {
  return name == "signs" || name == "known_experts" || name == kSubnormals;
}

}  // namespace assay
