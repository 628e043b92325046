// assay-compiler: what Assay asks of clang and LLVM, in a program of its own. Whoever starts it confines it.
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <CLI/CLI.hpp>

#include "harness/metal/compiler/object.hpp"
#include "harness/metal/module/line_table.hpp"
#include "harness/metal/text/outline_json.hpp"

namespace {

using namespace assay::metal;

// Everything that the processor has, but for what rounds halves otherwise than one operation at a time.
Processor this_processor() {
  Processor found{llvm::sys::getDefaultTargetTriple(), llvm::sys::getHostCPUName().str(), {}};
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const bool wanted = feature.second && feature.first() != "avx512fp16";
    found.features.push_back((wanted ? "+" : "-") + feature.first().str());
  }
  std::sort(found.features.begin(), found.features.end());
  return found;
}

// What clang compiles for, as arguments of its own.
std::vector<std::string> arguments_of(const Processor& processor) {
  std::vector<std::string> all = {"-triple", processor.triple, "-target-cpu", processor.name};
  for (const auto& feature : processor.features) all.insert(all.end(), {"-target-feature", feature});
  return all;
}

int say_identity() {
  std::string all = "clang and LLVM " LLVM_VERSION_STRING;
  for (const auto& one : arguments_of(this_processor())) all += " " + one;
  std::puts(all.c_str());
  return 0;
}

int finish(bool done, const std::vector<Diagnostic>& errors) {
  std::fputs(words_of(errors).c_str(), stderr);
  return done ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What Assay asks of clang and LLVM", "assay-compiler");
  app.require_subcommand(1);
  ReadRequest text;
  CompileRequest how;
  std::vector<std::string> files;
  std::string output;
  std::vector<std::string> constants;
  std::vector<Diagnostic> errors;
  int status = 1;

  app.add_subcommand("identity", "says what it is, and what processor it compiles for")->callback([&] {
    status = say_identity();
  });
  const auto reads = [&](CLI::App* command) {
    command->add_option("--cc1", text.arguments, "an argument of clang -cc1")->allow_extra_args(false);
    return command;
  };
  auto* preprocess = reads(app.add_subcommand("preprocess", "writes the preprocessed text"));
  preprocess->add_option("file", text.file)->required();
  preprocess->callback([&] { status = finish(preprocess_text(text, errors), errors); });

  const auto take_constants = [&] {
    for (const auto& one : constants)
      text.function_constants[static_cast<std::uint32_t>(std::stoul(one))] = one.substr(one.find('=') + 1);
  };
  const auto compiles = [&](CLI::App* command) {
    reads(command)->add_option("--library", text.library, "the folder of the stand-in headers")->required();
    return command;
  };
  auto* header = compiles(app.add_subcommand("header", "reads headers ahead of other texts"));
  header->add_option("-o", output)->required();
  header->add_option("file", text.file)->required();
  header->callback([&] {
    const auto target = arguments_of(this_processor());
    text.arguments.insert(text.arguments.end(), target.begin(), target.end());
    status = finish(write_precompiled(text, output, errors), errors);
  });

  auto* object = compiles(app.add_subcommand(
      "object", "compiles texts, each by itself: FILE to FILE.so, or to FILE.err with what is wrong"));
  const auto kernel = [&](CLI::App* command) {
    command->add_option("--function", text.function, "the kernel, or the name that the host calls it by");
    command->add_option("--constant", constants, "INDEX=LITERAL of a function constant")
        ->allow_extra_args(false);
    command->add_flag("!--no-lambdas", text.lambdas, "Metal has no lambdas before version 4");
    command->add_flag("--all-coherent", text.all_coherent, "device memory is, whatever is declared");
    command->add_flag("--spaces", text.spaces, "address spaces are held against each other");
    return command;
  };
  kernel(object);
  object->add_option("--kind", how.kind)
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, CodeKind>{{"fast", CodeKind::fast},
                                                                  {"checked", CodeKind::checked},
                                                                  {"watched", CodeKind::watched},
                                                                  {"reference", CodeKind::reference}}));
  object->add_option("--numerics", how.arithmetic)
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Arithmetic>{{"strict", Arithmetic::strict},
                                            {"contracted", Arithmetic::contracted},
                                            {"reassociated", Arithmetic::reassociated},
                                            {"relaxed", Arithmetic::relaxed},
                                            {"approximate", Arithmetic::approximate},
                                            {"flushed", Arithmetic::flushed}}));
  object->add_flag("--saturating", text.saturating, "conversions to integers that are written out saturate");
  object->add_flag("--quick", how.quick, "little is optimised");
  object->add_flag("--compared", how.compared, "calls are inlined: texts of one program have one code");
  object->add_flag("--unrolled", how.unrolled, "loops are unrolled: more texts have");
  object->add_flag("--count-steps", how.count_steps, "loops count how often their heads are passed");
  object->add_flag("!--no-places", how.places, "the same code has the same bytes, and tells no places");
  object->add_option("files", files)->required();
  object->callback([&] {
    const Processor processor = this_processor();
    const auto target = arguments_of(processor);
    text.arguments.insert(text.arguments.end(), target.begin(), target.end());
    how.library = kLibraryPlaces;
    take_constants();
    status = compile_objects(text, how, processor, files) ? 0 : 1;
  });

  auto* outline =
      kernel(compiles(app.add_subcommand("outline", "writes what a text says of a kernel, or which it has")));
  outline->add_flag("--lists", text.lists, "no kernel is meant");
  outline->add_flag("--syntax", text.syntax, "what the words of the text are, too");
  outline->add_option("file", text.file)->required();
  outline->callback([&] {
    const auto target = arguments_of(this_processor());
    text.arguments.insert(text.arguments.end(), target.begin(), target.end());
    take_constants();
    const Outline found = outline_of(text, errors);
    std::puts(nlohmann::json(found).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    // What a text that is wrong says is known, as long as its kernel is.
    status = finish(errors.empty() || text.lists || (!found.used.empty() && !text.spaces), errors);
  });
  CLI11_PARSE(app, argc, argv);
  return status;
}
