// The guard of objects without that of texts: what a hostile text would become, had nobody read it.
#include <gmock/gmock.h>

#include <random>

#include "harness/metal/compile/process.hpp"
#include "harness/metal/module/object_guard.hpp"
#include "tests/metal/hostile.hpp"
#include "tests/metal/kernel_run.hpp"

namespace assay::metal {
namespace {

using testing::HasSubstr;

// Host code, without the guard of texts in front of it.
class HostileObject : public testing::TestWithParam<Hostile> {
 protected:
  std::string fault_of(const std::string& cpp, const std::vector<std::string>& more = {}) {
    const auto object = (directory_.path() / "k.so").string();
    std::vector<std::string> argv = {"g++",
                                     "-x",
                                     "c++",
                                     "-std=c++17",
                                     "-fPIC",
                                     "-fvisibility=hidden",
                                     "-fno-exceptions",
                                     "-fno-rtti",
                                     "-w",
                                     "-shared",
                                     "-nostdlib",
                                     "-Wl,-Bsymbolic,-z,now,--build-id=none",
                                     "-o",
                                     object,
                                     directory_.write("k.cpp", cpp).string()};
    argv.insert(argv.end(), more.begin(), more.end());
    const auto made = run_process(argv);
    EXPECT_EQ(made.exit_code, 0) << made.err;
    const auto fault = object_fault(content_of(object));
    return fault ? (fault->symbol.empty() ? "" : fault->symbol + " ") + fault->message : "";
  }
  TemporaryDirectory directory_;
};

TEST_P(HostileObject, IsRefused) { EXPECT_THAT(fault_of(GetParam().text), HasSubstr(GetParam().gets)); }

INSTANTIATE_TEST_SUITE_P(
    , HostileObject,
    testing::Values(
        Hostile{"function of the host",
                "extern \"C\" int system(const char*);\nint f() { return system(\"id\"); }",
                "system is used, but neither the kernel nor the simulator defines it"},
        Hostile{"variable of the host", "extern char** environ;\nchar** f() { return environ; }",
                "environ is used, but neither the kernel nor the simulator defines it"},
        Hostile{"weak function", "extern \"C\" int fork() __attribute__((weak));\nint f() { return fork(); }",
                "fork is used, but neither"},
        Hostile{"label", "int f(const char*) asm(\"system\");\nint g() { return f(\"id\"); }",
                "system is used, but neither"},
        Hostile{"dynamic initialiser", "int f();\nint f() { return 1; }\nint volatile now = f();",
                "has code that runs when it is loaded or unloaded (.init_array)"},
        Hostile{"constructor", "int x;\n__attribute__((constructor)) void f() { x = 1; }", "(.init_array)"},
        Hostile{"destructor", "int x;\n__attribute__((destructor)) void f() { x = 1; }", "(.fini_array)"},
        Hostile{"section",
                "void f() {}\n__attribute__((section(\".init_array\"), used)) void (*const p)() = f;",
                "(.init_array)"},
        Hostile{"assembly", "asm(\".pushsection .init,\\\"ax\\\",@progbits\\n nop\\n .popsection\");",
                "(.init)"},
        Hostile{"assembly of a constructor",
                "asm(\".pushsection .ctors,\\\"aw\\\",@progbits\\n .quad 0\\n .popsection\");",
                "has code that runs when it is loaded or unloaded"},
        Hostile{
            "indirect function",
            "extern \"C\" { static int one() { return 1; } static int (*choose())() { return one; }\n"
            "int f() __attribute__((ifunc(\"choose\"), visibility(\"hidden\"))); }\nint g() { return f(); }",
            "has an address that the loader would have to compute"},
        Hostile{"memory that is written and executed",
                "asm(\".pushsection hot,\\\"awx\\\",@progbits\\n nop\\n .popsection\");",
                "has memory that is both written and executed"},
        Hostile{"memory of threads", "thread_local int x;\nint f() { return x++; }",
                "uses memory of the host's threads"},
        Hostile{
            "hook of the checker", "extern \"C\" void __tsan_read4(void*) {}",
            "__tsan_read4 is defined by the kernel, but the name belongs to the simulator; give it another "
            "name"},
        Hostile{"symbol for others",
                "extern __attribute__((visibility(\"default\"))) const int shared_by_all = 1;",
                "shared_by_all is visible outside of the kernel"},
        Hostile{"variable", "int many = 1;\nint f() { return ++many; }",
                "many is a variable that all threads share and can write to, which Metal does not allow"},
        Hostile{"variable without a value", "static int many[4];\nint* f() { return many; }",
                "many is a variable that all threads share and can write to, which Metal does not allow"}),
    named);

TEST_F(HostileObject, LibrariesAndOptionsOfTheLoaderAreRefused) {
  EXPECT_EQ(fault_of("int f() { return 1; }"), "");
  EXPECT_THAT(fault_of("int f() { return 1; }", {"-Wl,--no-as-needed", "-lc"}),
              HasSubstr("asks for the library `libc"));
  EXPECT_THAT(fault_of("int f() { return 1; }", {"-Wl,-z,execstack"}),
              HasSubstr("a stack that can be executed"));
  EXPECT_THAT(fault_of("int f() { return 1; }", {"-Wl,-rpath,/tmp"}), HasSubstr("asks the loader for"));
  EXPECT_THAT(fault_of("int f() { return 1; }", {"-Wl,-z,nodelete"}), HasSubstr("asks the loader for"));
  EXPECT_THAT(fault_of("int f() { return 1; }", {"-Wl,-init,_Z1fv"}), HasSubstr("asks the loader for"));
}

// Whatever bytes an object has, the guard comes to an end, and takes none that is damaged where it looks.
TEST_F(HostileObject, DamagedObjectsAreRead) {
  ASSERT_EQ(fault_of("int f(const float x) { return int(x); }"), "");
  const auto whole = content_of(directory_.path() / "k.so");
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    auto damaged = whole;
    for (int n = 0; n < 1 + i % 4; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    (void)object_fault(damaged);
  }
  EXPECT_EQ(object_fault("")->message, "is not a shared object");
  EXPECT_EQ(object_fault(whole.substr(0, 64)).has_value(), true);
}

}  // namespace
}  // namespace assay::metal
