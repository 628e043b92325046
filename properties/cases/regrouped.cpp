#include "properties/cases/regrouped.hpp"

namespace assay::properties {
namespace {

thread_local int g_living = 0;

}  // namespace

RegroupedArithmetic::RegroupedArithmetic() { ++g_living; }
RegroupedArithmetic::~RegroupedArithmetic() { --g_living; }
bool RegroupedArithmetic::in_force() { return g_living > 0; }

}  // namespace assay::properties
