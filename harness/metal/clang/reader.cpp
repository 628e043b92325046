#include "harness/metal/clang/reader.hpp"

#include <clang/Frontend/FrontendActions.h>
#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <utility>

#include "harness/metal/clang/action.hpp"
#include "harness/metal/clang/addresses.hpp"
#include "harness/metal/clang/complaints.hpp"
#include "harness/metal/clang/instance.hpp"
#include "harness/metal/clang/saturate.hpp"
#include "harness/metal/clang/spaces.hpp"
#include "harness/metal/clang/spelling.hpp"
#include "harness/metal/module/line_table.hpp"

namespace assay::metal {
namespace {

std::unique_ptr<clang::CompilerInstance> instance(const ReadRequest& request, Complaints& complaints) {
  return instance_for(request.arguments, request.file,
                      [&] { return collector(complaints, request.library); });
}

// An expression that is not constant for want of a function constant's value.
void blame_unset(Diagnostic& error, const std::vector<UnsetConstant>& unset) {
  if (error.message.find("constant expression") == error.message.npos) return;
  for (const UnsetConstant& one : unset) {
    if (error.message.find("'" + one.name + "'") != error.message.npos)
      error = {one.place, one.complaint(), {}};
  }
}

std::string content_of(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

// A text, read in place of the file.
class Reading {
 public:
  Reading(const ReadRequest& request, const std::string& text, llvm::LLVMContext& context, bool emits)
      : request_(request), action_(&context, request, complaints_, emits) {
    const auto compiler = instance(request, complaints_);
    if (compiler == nullptr) return;
    read_instead(*compiler, request.file, text);
    set_severities(compiler->getDiagnostics());
    compiler->ExecuteAction(action_);
    for (Diagnostic& error : complaints_.errors) blame_unset(error, action_.unset());
  }

  Complaints& complaints() { return complaints_; }
  const TextRanges& reach() const { return action_.reach(); }
  const Outline& outline() const { return action_.outline(); }
  const std::set<std::string>& names_of_library() const { return action_.names_of_library(); }

  ReadText take() {
    ReadText read{action_.takeModule(), action_.unset()};
    if (read.module == nullptr) {
      complaints_.errors.push_back({{request_.file, 0, 0}, "clang has made nothing of it", {}});
      return read;
    }
    copy_members_alone(*read.module, action_.copied());
    note_ranges(*read.module, action_.restricted());
    note_loops(*read.module, action_.loops());
    announce_addresses(*read.module, action_.casts().of_addresses);
    if (request_.saturating) saturate_conversions(*read.module, action_.casts().to_integers, kLibraryPlaces);
    check_subscripts(*read.module, action_.subscripts(), kLibraryPlaces);
    return read;
  }

 private:
  const ReadRequest& request_;
  Complaints complaints_;
  ReadAction action_;
};

// So often is a text read again for what is to be read otherwise.
constexpr unsigned kMostReadings = 8;

// A text as clang reads it: in its spelling, and as it has changed since; and what of the first is used.
struct Spelled {
  Edits spelling;
  std::string first, text;
  TextRanges used = {};
  std::vector<Edits> changes = {};
};

unsigned byte_of_first(const Spelled& spelled, unsigned byte) {
  for (const Edits& one : llvm::reverse(spelled.changes)) byte = static_cast<unsigned>(one.origin_of(byte));
  return byte;
}

TextRanges ranges_of_first(const Spelled& spelled, TextRanges ranges) {
  for (auto& [begin, end] : ranges) {
    begin = byte_of_first(spelled, begin);
    end = byte_of_first(spelled, end);
  }
  return ranges;
}

// Of the text as its author has it.
void place_in_text(const Spelled& spelled, Syntax& syntax) {
  const auto origin = [&](std::uint32_t& byte) {
    byte = static_cast<std::uint32_t>(spelled.spelling.origin_of(byte_of_first(spelled, byte)));
  };
  for (auto* bytes : {&syntax.operators, &syntax.calls, &syntax.subscripts, &syntax.lists, &syntax.unset})
    for (std::uint32_t& byte : *bytes) origin(byte);
  for (auto* ranges : {&syntax.bodies, &syntax.closed, &syntax.statements, &syntax.conditions}) {
    for (auto& [begin, end] : *ranges) {
      origin(begin);
      origin(end);
    }
  }
}

// Reads until there is nothing to read otherwise.
std::unique_ptr<Reading> read_whole(const ReadRequest& request, Spelled& spelled, llvm::LLVMContext& context,
                                    bool emits) {
  for (unsigned i = 0;; ++i) {
    auto reading = std::make_unique<Reading>(request, spelled.text, context, emits);
    const Complaints& complaints = reading->complaints();
    if (i == 0 || spelled.used.empty()) spelled.used = ranges_of_first(spelled, reading->reach());
    if (complaints.edits.none()) return reading;
    if (i == kMostReadings) {
      reading->complaints().errors.push_back(
          {{request.file, 0, 0}, "clang reads it otherwise again and again", {}});
      return reading;
    }
    spelled.changes.push_back(complaints.edits);
    spelled.text = complaints.edits.applied_to(spelled.text);
  }
}

Spelled spelled_text(const ReadRequest& request) {
  const std::string text = content_of(request.file);
  Spelled spelled;
  if (!request.function.empty() || request.lists) spelled.spelling = spelling_of_clang(text);
  spelled.text = spelled.first = spelled.spelling.applied_to(text);
  return spelled;
}

std::vector<Diagnostic> errors_of(const ReadRequest& request, const Spelled& spelled, Reading& reading) {
  std::vector<Diagnostic> errors = reading.complaints().errors;
  if (!request.spaces || !errors.empty()) return errors;
  // Functions that spaces tell apart stand in the text as it was first.
  if (auto mixed = mixed_spaces(request, spelled.first, spelled.used, reading.names_of_library()))
    errors.push_back(std::move(*mixed));
  return errors;
}

}  // namespace

ReadText read_text(const ReadRequest& request, llvm::LLVMContext& context, std::vector<Diagnostic>& errors) {
  Spelled spelled = spelled_text(request);
  const auto reading = read_whole(request, spelled, context, true);
  errors = errors_of(request, spelled, *reading);
  if (!errors.empty()) return {};
  ReadText read = reading->take();
  errors = reading->complaints().errors;
  return read;
}

Outline outline_of(const ReadRequest& request, std::vector<Diagnostic>& errors) {
  llvm::LLVMContext context;
  Spelled spelled = spelled_text(request);
  const auto reading = read_whole(request, spelled, context, false);
  errors = errors_of(request, spelled, *reading);
  Outline outline = reading->outline();
  place_in_text(spelled, outline.syntax);
  for (const auto& [begin, end] : spelled.used)
    outline.used.emplace_back(spelled.spelling.origin_of(begin), spelled.spelling.origin_of(end));
  return outline;
}

bool write_precompiled(const ReadRequest& request, const std::string& output,
                       std::vector<Diagnostic>& errors) {
  Complaints complaints;
  const auto compiler = instance(request, complaints);
  if (compiler == nullptr) return false;
  compiler->getFrontendOpts().OutputFile = output;
  clang::GeneratePCHAction action;
  const bool done = compiler->ExecuteAction(action);
  errors = complaints.errors;
  return done && errors.empty();
}

bool preprocess_text(const ReadRequest& request, std::vector<Diagnostic>& errors) {
  Complaints complaints;
  const auto compiler = instance(request, complaints);
  if (compiler == nullptr) return false;
  compiler->getFrontendOpts().OutputFile = "-";
  compiler->getPreprocessorOutputOpts().ShowCPP = true;
  clang::PrintPreprocessedAction action;
  const bool done = compiler->ExecuteAction(action);
  errors = complaints.errors;
  return done && errors.empty();
}

}  // namespace assay::metal
