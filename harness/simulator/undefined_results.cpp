#include "harness/simulator/undefined_results.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <ucontext.h>

#include <algorithm>

#include "harness/simulator/checker.hpp"
#include "harness/simulator/never_left.hpp"
#include "harness/simulator/rendezvous.hpp"

namespace assay::simulator {
namespace {

Lane* running() { return reinterpret_cast<Lane*>(assay_lane); }

const char* words_of(UndefinedResults::Of of) {
  return of == UndefinedResults::Of::division ? "a whole number is divided by zero, or the least of its type "
                                                "by -1: Metal leaves the result undefined"
                                              : "a signed sum, difference or product is beyond what its type "
                                                "holds: Metal leaves the result undefined";
}

// Of the kernel that runs on this thread?
bool is_of_kernel(std::uintptr_t address) {
  const Lane* const lane = running();
  if (lane == nullptr) return false;
  const metal::KernelModule& module = *lane->unit->launch().module;
  return address >= module.begin() && address < module.end();
}

#if defined(__x86_64__)
// Behind the division at `code`: prefixes, F6 or F7, and its operand (Intel's manual, volume 2, chapter 2).
// Null if it is none. `wide`: bytes of the operand.
const unsigned char* behind_division(const unsigned char* code, int& bytes) {
  bytes = 4;
  for (;; ++code) {
    if (*code == 0x66) {
      bytes = 2;
    } else if (*code != 0x2E && *code != 0x3E && *code != 0x64 && *code != 0x65) {
      break;
    }
  }
  if ((*code & 0xF0) == 0x40) {
    if ((*code & 8) != 0) bytes = 8;
    ++code;
  }
  if (*code != 0xF6 && *code != 0xF7) return nullptr;
  if (*code == 0xF6) bytes = 1;
  const unsigned mode = code[1] >> 6, operation = code[1] >> 3 & 7, base = code[1] & 7;
  if (operation < 6) return nullptr;
  code += 2;
  if (mode == 3) return code;
  const bool scaled = base == 4, no_base = mode == 0 && (scaled ? (*code & 7) == 5 : base == 5);
  return code + (scaled ? 1 : 0) + (mode == 1 ? 1 : mode == 2 || no_base ? 4 : 0);
}

void set(greg_t& to, std::uint64_t value, int bytes) {
  auto bits = static_cast<std::uint64_t>(to);
  if (bytes == 2) bits = (bits & ~0xFFFFull) | (value & 0xFFFF);
  if (bytes == 4) bits = value & 0xFFFFFFFF;  // the upper half becomes zero
  if (bytes == 8) bits = value;
  to = static_cast<greg_t>(bits);
}

bool divide(greg_t* registers) {
  const auto at = static_cast<std::uintptr_t>(registers[REG_RIP]);
  int bytes = 0;
  const unsigned char* const behind = behind_division(reinterpret_cast<const unsigned char*>(at), bytes);
  if (behind == nullptr) return false;
  const auto value =
      running()->unit->launch().undefined->note(UndefinedResults::Of::division, kQuotient, at + 1);
  if (bytes == 1) {
    set(registers[REG_RAX], value, 2);  // quotient and remainder
  } else {
    set(registers[REG_RAX], value, bytes);
    set(registers[REG_RDX], value, bytes);
  }
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(behind));
  return true;
}

// The instruction that stands for a trap.
bool leave(greg_t* registers) {
  const auto* const code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  if (code[0] != 0x0F || code[1] != 0x0B) return false;
  constexpr std::uintptr_t kRedZone = 128, kAlignment = 16;
  const auto top = (static_cast<std::uintptr_t>(registers[REG_RSP]) - kRedZone) / kAlignment * kAlignment;
  registers[REG_RSP] = static_cast<greg_t>(top - sizeof(std::uintptr_t));  // as behind a call
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(&end_undefined_lane));
  return true;
}

struct sigaction g_before_division, g_before_trap;

void on_trap(int signal, siginfo_t* info, void* context) {
  auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<std::uintptr_t>(registers[REG_RIP]);
  const bool done = is_of_kernel(at) && (signal == SIGFPE ? divide(registers) : leave(registers));
  if (done) return;
  const struct sigaction& before = signal == SIGFPE ? g_before_division : g_before_trap;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else {
    ::signal(signal, SIG_DFL);  // it happens again
  }
}

void watch(int signal, struct sigaction& before) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_trap) return;
  before = now;
  struct sigaction ours {};
  ours.sa_sigaction = on_trap;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(signal, &ours, nullptr);
}
#endif

}  // namespace

// A trap goes on with it, on the lane's own stack.
ASSAY_NEVER_LEFT void end_undefined_lane() {
  Lane& lane = *running();
  lane.unit->launch().faults->add(device::FaultKind::undefined, 1, [&] {
    device::Fault fault;
    fault.message =
        "a shift by as many bits as there are, or more, or a conversion to an integer of what its type does "
        "not "
        "hold: Metal leaves the result undefined";
    fault.accesses = {{"by " + lane.unit->name_of(lane.view.index_in_threadgroup), {}}};
    return fault;
  });
  lane.unit->end_lane(lane);
}

std::uint64_t UndefinedResults::note(Of of, std::uint64_t usual, std::uintptr_t address) {
  const Lane& lane = *running();
  bool other = others_;
  const std::lock_guard lock(lock_);
  for (Note& note : notes_) {
    if (note.address != 0 && note.address != address) continue;
    if (note.address == 0) {
      note = {address,
              of,
              0,
              Checker::current != nullptr ? Checker::current->moment() : 0,
              lane.view.index_in_threadgroup,
              {}};
      std::copy_n(lane.view.threadgroup_position, 3, note.threadgroup.begin());
    }
    // A loop that such a value keeps going ends where there are very many.
    constexpr std::uint64_t kMany = 64;
    if (++note.count > kMany && note.count % 2 == 0) other = false;
    break;
  }
  constexpr std::uint64_t kOther = 0x9E3779B9FF4ACC95u;  // has the highest bit of each width
  return other ? usual ^ kOther : usual;
}

std::vector<device::Fault> UndefinedResults::faults(const metal::KernelModule& module) {
  const std::lock_guard lock(lock_);
  std::vector<device::Fault> all;
  for (const Note& note : notes_) {
    if (note.address == 0) break;
    device::Fault fault;
    fault.kind = device::FaultKind::undefined;
    fault.message = words_of(note.of);
    fault.place = module.place_of(note.address);
    fault.count = note.count;
    fault.moment = note.moment;
    fault.accesses = {
        {fmt::format("by thread {} (simdgroup {}, lane {}) of threadgroup ({}, {}, {})", note.thread,
                     note.thread / ASSAY_SIMDGROUP_WIDTH, note.thread % ASSAY_SIMDGROUP_WIDTH,
                     note.threadgroup[0], note.threadgroup[1], note.threadgroup[2]),
         fault.place}};
    const auto known = std::find_if(all.begin(), all.end(), [&](const device::Fault& one) {
      return one.place == fault.place && one.message == fault.message;
    });
    if (known == all.end()) {
      all.push_back(std::move(fault));
    } else {
      known->count += fault.count;
    }
  }
  return all;
}

void watch_traps() {
#if defined(__x86_64__)
  watch(SIGFPE, g_before_division);
  watch(SIGILL, g_before_trap);
#endif
}

}  // namespace assay::simulator
