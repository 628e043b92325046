// What a buffer or a texture is drafted as: from its parameter, from what was told of it, and from what the
// kernel did to it when it ran.
#pragma once

#include "harness/draft/draft.hpp"
#include "harness/draft/measure.hpp"

namespace assay::draft {

/// `measured`: null where the kernel could not be run. What is guessed is added to the guesses of `draft`,
/// whose dimensions a shape may take.
DraftBuffer settled_buffer(const Parameter& one, const std::string& type, const ToldBuffer& told,
                           const MeasuredBuffer* measured, Draft& draft);
DraftBuffer settled_texture(const TextureGuess& one, const ToldBuffer& told, const MeasuredBuffer* measured,
                            Draft& draft);

}  // namespace assay::draft
