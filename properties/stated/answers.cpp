#include "properties/stated/answers.hpp"

#include <stdexcept>
#include <utility>

namespace assay::properties {
namespace {

// Set before main(), whichever file the linker puts first.
AnswersFactory& factory_of_texts() {
  static AnswersFactory factory;
  return factory;
}

}  // namespace

RegisterReferenceTexts::RegisterReferenceTexts(AnswersFactory factory) {
  factory_of_texts() = std::move(factory);
}

std::unique_ptr<Answers> answers_of_text(const std::shared_ptr<const StatedOperation>& stated) {
  if (!factory_of_texts())
    throw std::invalid_argument("operation " + stated->name +
                                ": this program was built without what runs references; link assay::oracle");
  return factory_of_texts()(stated);
}

}  // namespace assay::properties
