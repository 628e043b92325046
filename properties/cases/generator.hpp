// Cases for rapidcheck, which draws and shrinks them in properties of one's own.
#pragma once

#include <memory>

#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>
#include <rapidcheck/seq/Create.h>
#include <rapidcheck/shrinkable/Create.h>

#include "properties/cases/space.hpp"

namespace assay::properties {

/// The space as a generator whose values shrink by CaseSpace::shrinks. In a header of its own, since
/// rapidcheck's generators take longer to compile than what most files say with cases.
inline rc::Gen<Case> generator_of(const CaseSpace& space) {
  const auto shared = std::make_shared<const CaseSpace>(space);
  const auto shrinks = [shared](const Case& drawn) { return rc::seq::fromContainer(shared->shrinks(drawn)); };
  return [shared, shrinks](const rc::Random& random, int size) {
    return rc::shrinkable::shrinkRecur(shared->draw(rc::Random(random).next(), size), shrinks);
  };
}

}  // namespace assay::properties
