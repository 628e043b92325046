// What other programs read: JSON and JUnit of runs with every verdict there is, shards that merge to what one
// run says, annotations of a workflow.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "assay/verdict.hpp"
#include "tests/end_to_end/program.hpp"
#include "tests/report/validate.hpp"

namespace assay::end_to_end {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Body {
  const char* name;
  const char* body;
};

constexpr std::string_view kNeverEnds = "never_ends";

// Line 8 of each text.
constexpr Body kBodies[] = {
    {"writes_ones", "for (uint e = i; e < M * N; e += 32) C[e] = 1;"},
    {"races", "C[0] = half(i);"},
    {"out_of_bounds", "C[M * N + i] = 0;"},
    {"misaligned", "if (i == 0) C[0] = *(device half*)((device uchar*)B + min(M, 1u));"},
    {"uninitialised", "threadgroup half t[32]; if (i == 0) { t[0] = 1; C[0] = t[5]; }"},
    {"shifts_too_far", "if (i == 0) C[0] = half(1u << (32 + M / 65536));"},
    {"diverges", "if (i < 16) threadgroup_barrier(mem_flags::mem_threadgroup); C[0] = 0;"},
    {"deadlocks",
     "threadgroup atomic_uint t; atomic_store_explicit(&t, 1u, memory_order_relaxed); "
     "while (atomic_load_explicit(&t, memory_order_relaxed) != 9) {} C[0] = 0;"},
    {"over_budget", "threadgroup uint t[8193]; t[i] = i; C[0] = half(t[i]);"},
    {"never_ends", "volatile uint n = 1; while (n != 0) {} C[i] = 0;"},
    {"crashes", "*(device half*)(ulong(i) * 8 + 64) = 0;"},
    {"unsupported", "texture2d_ms_array<float> t; C[0] = 0;"},
    {"no_metal", "C[0] = ;"},
};

std::string of_dequantization(const std::string& name, int loads) {
  return fmt::format(
      "[[kernel]]\nname = \"{}\"\nfunction = \"dequant_fp4\"\nsource = \"dequant_fp4.metal\"\n"
      "operation = \"dequantize_fp4\"\narguments = [\"B\", \"scales\", \"W\", \"K\", \"N\", \"group_size\"]\n"
      "threads_per_threadgroup = [32, 4, 1]\ngrid = [\"ceil(N / 32)\", \"ceil(K / 32)\", 1]\n"
      "arithmetic = {{ dequantize = \"half\" }}\nclaims = {{ loads_of_B = {} }}\n",
      name, loads);
}

// A manifest of kernels with most verdicts.
fs::path write_kernels(const Scratch& scratch) {
  fs::copy(kSource / "kernels/include", scratch / "include", fs::copy_options::recursive);
  fs::copy(kSource / "kernels/dequant_fp4.metal", scratch / "dequant_fp4.metal");
  std::string manifest = of_dequantization("passes", 1) + of_dequantization("claims_too_much", 7);
  for (const auto& [name, body] : kBodies) {
    std::string text = kernel_text(body);
    text.replace(text.find("kernel void k("), 14, fmt::format("kernel void {}(", name));
    scratch.write(std::string(name) + ".metal", text);
    manifest += manifest_of(std::string(name) + ".metal", name);
  }
  return scratch.write("m.toml", manifest);
}

// Of kernels whose last slice waits for those before it, which nobody promises to run.
fs::path write_waiting_kernel(const Scratch& scratch) {
  fs::copy(kSource / "kernels", scratch / "kernels", fs::copy_options::recursive);
  const fs::path source = scratch / "kernels/marlin_gemm_fp4_striped.metal";
  std::string text = read(source);
  text.insert(text.find("if (count_in(&counters[unit.tile]"),
              "while (unit.slice == parallel - 1 && "
              "atomic_load_explicit(&counters[unit.tile], memory_order_relaxed) != parallel - 1) {}\n      ");
  std::ofstream(source) << text;
  return scratch / "kernels/kernels.toml";
}

std::vector<std::string> verify_of(const fs::path& manifest, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"verify", "--manifest", manifest.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

json json_of(const fs::path& file) { return json::parse(read(file)); }

// Times are not what two runs have in common.
json without_times(json value) {
  if (value.is_object()) {
    for (const char* name : {"seconds", "core_seconds"}) value.erase(name);
  }
  for (auto& one : value) {
    if (one.is_structured()) one = without_times(one);
  }
  return value;
}

std::set<std::string> verdicts_in(const json& report) {
  std::set<std::string> all;
  for (const auto& kernel : report.at("kernels")) {
    for (const auto& mode : kernel.at("modes")) all.insert(mode.at("verdict"));
  }
  return all;
}

TEST(MachineReadable, EveryVerdictIsWrittenShardedAndMerged) {
  const Scratch scratch;
  const auto manifest = write_kernels(scratch);
  const auto path = [&](const std::string& name) { return (scratch / name).string(); };
  std::vector<std::string> common = {"--numerics", "strict", "passes", "claims_too_much"};
  for (const auto& [name, body] : kBodies) {
    if (name != kNeverEnds) common.emplace_back(name);
  }
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), common.begin(), common.end());
    return assay(verify_of(manifest, more));
  };
  const auto whole = run({"--json", path("all.json"), "--junit", path("all.xml")});
  EXPECT_EQ(whole.exit_code, 1) << whole.err;
  for (const auto* shard : {"1", "2", "3"}) {
    const auto part =
        run({"--shard", fmt::format("{}/3", shard), "--json", path(fmt::format("{}.json", shard))});
    EXPECT_EQ(part.exit_code, 1) << part.out << part.err;
    EXPECT_THAT(part.out, HasSubstr(fmt::format("shard {}/3)", shard)));
  }
  const auto merged = assay({"merge", "--json", path("merged.json"), "--junit", path("merged.xml"),
                             path("3.json"), path("1.json"), path("2.json")});
  EXPECT_EQ(merged.exit_code, 1) << merged.out << merged.err;
  EXPECT_EQ(without_times(json_of(path("merged.json"))), without_times(json_of(path("all.json"))));
  EXPECT_EQ(merged.out, whole.out.substr(whole.out.find("\n\n") + 1));

  // Those that no kernel has in such a run.
  assay(verify_of(manifest, {"--laws", "--numerics", "strict", "--json", path("laws.json"), "--junit",
                             path("laws.xml"), "writes_ones", "passes"}));
  std::ifstream in(manifest);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string name = "name = \"passes\"\n";
  text.insert(text.find(name) + name.size(),
              "requires = { K_max = 4 }\n");  // half of each word is never asked
  std::ofstream(scratch / "few.toml") << text;
  assay(verify_of(path("few.toml"), {"--mode", "fast", "--numerics", "strict", "--json", path("few.json"),
                                     "--junit", path("few.xml"), "passes"}));
  assay(verify_of(manifest, {"--mode", "fast", "--numerics", "strict", "--timeout", "5", "--json",
                             path("late.json"), "never_ends"}));
  assay(verify_of(write_waiting_kernel(scratch),
                  {"--mode", "checked", "--numerics", "strict", "--schedules", "all", "--json",
                   path("waits.json"), "marlin_gemm_fp4_striped"}));
  std::set<std::string> seen;
  std::vector<fs::path> files;
  for (const char* name : {"all.json", "1.json", "2.json", "3.json", "merged.json", "laws.json", "few.json",
                           "late.json", "waits.json"}) {
    files.push_back(scratch / name);
    seen.merge(verdicts_in(json_of(files.back())));
  }
  EXPECT_EQ(tests::fault_of_json(files), "");
  std::set<std::string> wanted;
  for (int i = 0; i <= static_cast<int>(Verdict::error); ++i) {
    wanted.emplace(name_of(static_cast<Verdict>(i)));
  }
  for (const auto& verdict : wanted) EXPECT_TRUE(seen.contains(verdict)) << verdict;

  const auto shown = tests::read_junit(scratch / "all.xml");
  EXPECT_THAT(shown, AllOf(HasSubstr("\npasses checked pass\n"), HasSubstr("\nraces checked failure: race\n"),
                           HasSubstr("\nno_metal checked error: error\n")));
  EXPECT_EQ(tests::read_junit(scratch / "merged.xml"), shown);
  EXPECT_THAT(tests::read_junit(scratch / "few.xml"), HasSubstr("error: vacuous"));

  const auto all = json_of(path("all.json"));
  for (const auto& kernel : all.at("kernels")) {
    if (kernel.at("name") != "races") continue;
    EXPECT_EQ(kernel.at("place"), (json{{"file", path("races.metal")}, {"line", 3}}));
    EXPECT_EQ(kernel.at("modes").at(1).at("place"), (json{{"file", path("races.metal")}, {"line", 8}}));
  }
  const auto missing = assay({"merge", "--json", path("no.json"), path("1.json"), path("3.json")});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("shard 2/3 of the same run is missing"));
  const auto twice = assay(
      {"merge", "--json", path("no.json"), path("1.json"), path("2.json"), path("3.json"), path("2.json")});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("shard 2/3 is there twice"));
  EXPECT_FALSE(fs::exists(path("no.json")));
}

TEST(MachineReadable, WorkflowsSeeTheLineOfTheFault) {
  const Scratch scratch;
  clear_environment();
  write_kernels(scratch);
  const std::string run = fmt::format("cd {} && {} verify --manifest m.toml --numerics strict races passes",
                                      scratch.root().string(), kProgram.string());
  const auto shown = metal::run_process({"sh", "-c", "export GITHUB_ACTIONS=true; " + run});
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.out, HasSubstr("\n::error file=races.metal,line=8,title=races%3A race (checked)::"));
  EXPECT_THAT(metal::run_process({"sh", "-c", "unset GITHUB_ACTIONS; " + run}).out,
              Not(HasSubstr("::error")));
}

TEST(MachineReadable, FilesThatCannotBeWrittenAreRefusedFirst) {
  const Scratch scratch;
  for (const auto* option : {"--json", "--junit"}) {
    const auto result =
        assay(verify_of(kSource / "kernels/kernels.toml", {option, "no/such/file", "dequant_fp4"}));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("no/such/file: cannot be written"));
  }
  const auto same = (scratch / "one").string();
  const auto result =
      assay(verify_of(kSource / "kernels/kernels.toml", {"--json", same, "--junit", same, "dequant_fp4"}));
  EXPECT_THAT(result.err, HasSubstr("cannot be both --json and --junit"));
}

TEST(MachineReadable, GoldenSetsAreMadeAndCheckedInShards) {
  const Scratch scratch;
  const auto path = [&](const std::string& name) { return (scratch / name).string(); };
  const auto make = [&](const std::string& shard, const std::string& out) {
    return assay({"golden", "make", "--operation", "dequantize_fp4", "--cases", "5", "--out", path(out),
                  "--shard", shard, "--json", path("make" + shard.substr(0, 1) + ".json")});
  };
  EXPECT_EQ(make("1/1", "whole").exit_code, 0);
  EXPECT_EQ(make("1/2", "set").exit_code, 0);
  EXPECT_EQ(make("2/2", "set").exit_code, 0);
  EXPECT_EQ(assay({"golden", "check", path("set")}).exit_code, 0);
  for (const auto& file : fs::directory_iterator(scratch / "whole")) {
    EXPECT_EQ(read(file.path()), read(scratch / "set" / file.path().filename())) << file.path();
  }
  const auto merged = assay({"merge", path("make1.json"), path("make2.json"), "--json", path("made.json")});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(json_of(path("made.json")).at("files").size(), 5U);

  fs::remove(scratch / "set/dequantize_fp4-1-0003.safetensors");
  std::ofstream(scratch / "set/dequantize_fp4-1-0001.safetensors") << "damaged";
  const auto check = [&](const std::string& shard, const std::string& json) {
    return assay({"golden", "check", path("set"), "--shard", shard, "--json", path(json)});
  };
  EXPECT_EQ(check("1/1", "check.json").exit_code, 1);
  EXPECT_EQ(check("1/2", "check1.json").exit_code, 1);
  EXPECT_EQ(check("2/2", "check2.json").exit_code, 2);
  EXPECT_EQ(
      assay({"merge", path("check1.json"), path("check2.json"), "--json", path("checked.json")}).exit_code,
      1);
  EXPECT_EQ(without_times(json_of(path("checked.json"))), without_times(json_of(path("check.json"))));
  EXPECT_EQ(tests::fault_of_json({path("made.json"), path("check1.json"), path("checked.json")}), "");
}

TEST(MachineReadable, MutantsAreJudgedInShards) {
  const Scratch scratch;
  const auto manifest = write_kernels(scratch);
  const auto path = [&](const std::string& name) { return (scratch / name).string(); };
  const auto mutate = [&](const std::string& shard, const std::string& file) {
    return assay({"mutate", "--manifest", manifest.string(), "passes", "--sample", "7", "--cases", "40",
                  "--fresh", "--shard", shard, "--json", path(file)});
  };
  const auto whole = mutate("1/1", "all.json");
  mutate("1/2", "1.json");
  mutate("2/2", "2.json");
  const auto merged = assay({"merge", path("2.json"), path("1.json"), "--json", path("merged.json")});
  EXPECT_EQ(merged.exit_code, whole.exit_code) << merged.out << merged.err;
  EXPECT_EQ(without_times(json_of(path("merged.json"))), without_times(json_of(path("all.json"))));
  EXPECT_EQ(json_of(path("merged.json")).at("kernels").at(0).at("mutants").size(), 7U);
  EXPECT_EQ(tests::fault_of_json({path("all.json"), path("1.json"), path("merged.json")}), "");
  EXPECT_THAT(assay({"merge", path("1.json"), path("all.json")}).err, HasSubstr("no shards of one run"));
}

TEST(MachineReadable, SchedulersSayWhichShard) {
  const Scratch scratch;
  const auto set = (scratch / "set").string();
  clear_environment();
  const auto run = [&](const std::string& variables) {
    return metal::run_process(
        {"sh", "-c",
         fmt::format("{} exec {} golden make --operation dequantize_fp4 --cases 3 --out {}", variables,
                     kProgram.string(), set)});
  };
  const auto one = run("SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_COUNT=3");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("shard 2/3, as SLURM_ARRAY_TASK_ID says"),
                             HasSubstr("-0001.safetensors"), Not(HasSubstr("-0000.safetensors"))));
  const auto half = run("JOB_COMPLETION_INDEX=1");
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_THAT(half.err, AllOf(StartsWith("assay: "), HasSubstr("ASSAY_SHARDS is not")));
}

}  // namespace
}  // namespace assay::end_to_end
