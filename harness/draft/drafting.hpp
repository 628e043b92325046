// The making of one draft: what it is so far, and the steps that fill it in, each in a file of its own.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/draft/compiled_kernel.hpp"
#include "harness/draft/draft.hpp"
#include "harness/draft/measure.hpp"
#include "harness/draft/struct_members.hpp"

namespace assay::draft {

class Drafting {
 public:
  /// Both must outlive this.
  Drafting(const Told& told, const DraftProgress& progress) : told_(told), progress_(progress) {}

  /// All steps, in order: once. Throws as draft_kernel() does.
  Draft draft();

 private:
  /// draft_arguments.cpp: parameters that have a buffer index.
  void arguments();
  void buffer(const Parameter& one, MeasuredArgument& argument);
  /// `"N"`, `"=1e-5:float"` or a list of them.
  std::string scalars(const Parameter& one, MeasuredArgument& argument);
  /// `"N"`, `"=1e-5:float"`: what was told, a dimension, or a constant.
  std::string scalar(const std::string& name, const std::string& type, bool whole,
                     MeasuredArgument::Value& measured);

  /// The threads of a threadgroup, where they step over this scalar; else 0.
  std::uint32_t threads_stepped_over(const std::string& scalar) const;

  /// draft_blocks.cpp. A struct: `{ buffer = [{ pointer = "x" }, "N"] }`, or `["N", "M"]` where it needs no
  /// more. `number`: of what is measured.
  std::string block(const std::vector<StructMember>& members, std::size_t size, std::size_t number,
                    bool as_buffer = false);
  /// Zeros for so many bytes, which have no value of their own.
  static void filler(std::size_t offset, std::size_t size, std::vector<std::string>& fields);
  /// What a member that is a pointer leads to.
  std::string behind(const StructMember& member, std::size_t number);
  /// What a member is called where every other thing has its name already.
  std::string free_name(const std::string& path) const;

  /// draft_constants.cpp: values for function constants that were not told. Was any given?
  bool guess_constants();

  /// draft_textures.cpp: textures, and how samplers read them.
  void textures();
  void tell_texture_of(TextureGuess& guessed);

  /// draft_dimensions.cpp. Null where there is none of that name.
  DraftDimension* find_dimension(const std::string& name);
  /// `largest`: where nothing is told of it; 0: a manifest's own.
  void add_dimension(const std::string& name, std::int64_t largest = 0);
  /// What it is measured at; `place`: in Draft::dimensions.
  MeasuredDimension sizes_of(const DraftDimension& dimension, std::size_t place) const;
  /// Those that were told of, and those in what was told.
  void tell_dimensions();
  /// What is free of the grid has another name where a buffer has the usual one.
  std::string dimension_of_buffer(const std::string& name) const;
  /// What loops along one side of a square for each of its elements takes long.
  void keep_squares_small();
  /// A first look takes seconds, also where a kernel has many dimensions.
  void keep_launches_small();

  /// draft_threads.cpp: the first guess.
  void threads();
  static device::Size3 laid_out(std::uint32_t total, unsigned axes);
  MeasureRequest with_threads(const device::Size3& threads) const;
  /// Where nothing is known of the threads and they matter, those are taken that do not run into each other.
  void try_threads();
  /// Where the number of threads is a guess, others may suit the kernel better: arrays that are laid out for
  /// them are not left, and textures are written whole.
  std::optional<Measured> measured_with_any_threads(std::string& why);
  static bool leaves_texels(const Measured& measured);
  static std::string threads_text(const device::Size3& t);

  /// draft_threadgroup_memory.cpp: what is bound to [[threadgroup(i)]], of so many threads.
  struct Bytes {
    std::string name, bytes = "16";
    bool guessed = false, single = false;
  };
  std::vector<Bytes> threadgroup_bytes(const device::Size3& t) const;
  void threadgroup_memory();

  /// draft_grid.cpp.
  unsigned axes_of_grid() const;
  static std::array<std::string, 3> spare_names(unsigned axes, bool in_threads);
  /// The name, or that with a number behind it.
  std::string unknown_name(const std::string& wanted) const;
  /// Names for sides of the grid that no scalar gives.
  void spare();
  void settle_grid(const std::optional<Measured>& measured);
  /// A scalar that is the stride of a loop over the grid says how large the grid is.
  void find_strides();
  /// As somebody has told it, or as the text says it; empty where neither does.
  const std::vector<std::string>& given_grid() const { return told_.grid.empty() ? text_grid_ : told_.grid; }

  /// draft_untold.cpp: every fact that nobody has told, so that a verdict may hang on it; and the launches
  /// that show whether it does.
  void untold();
  void untold_buffers();
  void untold_numbers();

  /// draft.cpp: what a run of the kernel says of shapes and grid.
  void sizes();
  void guess_measured(const Measured& measured);
  /// Something must be written, or nothing can be said.
  void give_an_output();
  const Parameter* find_parameter(const std::string& name) const;
  static ToldBuffer told_of(const std::map<std::string, ToldBuffer>& all, const std::string& name);
  /// Names of an expression; a copy, since the expression goes.
  static std::vector<std::string> names_in(const std::string& text);

  void guess(std::string text) { draft_.guesses.push_back(std::move(text)); }
  void question(std::string text) { draft_.questions.push_back(std::move(text)); }

  void say(const std::string& what) const {
    if (progress_) progress_(what);
  }

  const Told& told_;
  const DraftProgress& progress_;
  Draft draft_;
  CompiledKernel compiled_;
  MeasureRequest request_;
  std::vector<const Parameter*> parameters_;  // as request_.arguments; null: no buffer
  std::deque<Parameter> pointed_;             // made up for what pointers lead to
  std::uint32_t line_ = 0;                    // of the parameter that leads to them
  std::size_t threads_guess_ = 0;             // of Draft::guesses
  std::vector<std::string> text_grid_;
  std::vector<std::string> constant_scalars_;  // with a value that was made up
  double begun_s_ = 0;
  bool small_ = false;  // sizes that are measured
  std::set<std::string> known_names_, used_scalars_;
};

}  // namespace assay::draft
