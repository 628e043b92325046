// An operation of one's own: a class derived from assay::properties::Operation that registers itself
// (RegisterOperation), and what it is written with. docs/operations.md says what the parts mean.
#pragma once

#include "properties/cases/declaration.hpp"
#include "properties/cases/draw.hpp"
#include "properties/cases/operation.hpp"
#include "properties/laws/law.hpp"
#include "reference/bound.hpp"
#include "reference/half.hpp"
