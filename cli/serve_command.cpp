// `assay serve`: kernels that another program loads and launches, as the Python package does.
//
// Each line that comes in is a request, each line that goes out its answer, both JSON. Bytes of arrays lie in
// memory that both have, a file without a name; requests hold places in it. What is wrong with a request or a
// text is an answer, what a kernel does wrong a report in one (docs/python.md, "How it works").
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <thread>

#include "assay/device/device.hpp"
#include "assay/metal_kernel.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

/// The memory that the other program shares, read and written by copies: no process that runs a kernel has
/// it.
class SharedFile {
 public:
  explicit SharedFile(int fd) : fd_(fd) {
    if (::fcntl(fd_, F_SETFD, FD_CLOEXEC) != 0)
      throw std::runtime_error("--memory: there is no open file of that number");
  }

  std::vector<std::byte> read(std::size_t offset, std::size_t size) const {
    std::vector<std::byte> bytes(size);
    whole(size, [&](std::size_t done) {
      return ::pread(fd_, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    });
    return bytes;
  }
  void write(std::size_t offset, const std::vector<std::byte>& bytes) const {
    whole(bytes.size(), [&](std::size_t done) {
      return ::pwrite(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    });
  }

 private:
  template <class Step>
  static void whole(std::size_t size, const Step& step) {
    for (std::size_t done = 0; done < size;) {
      const auto some = step(done);
      if (some < 0 && errno == EINTR) continue;
      if (some <= 0) throw std::invalid_argument("a buffer does not lie in the shared memory");
      done += static_cast<std::size_t>(some);
    }
  }

  int fd_;
};

MetalText text_of(const json& from) {
  return {from.at("text").get<std::string>(), from.at("name").get<std::string>(),
          from.at("first_line").get<std::uint32_t>()};
}

MlxSignature signature_of(const json& from) {
  MlxSignature made;
  for (const auto& one : from.at("inputs"))
    made.inputs.push_back({one.at(0), one.at(1), one.at(2).get<bool>(), one.at(3).get<bool>()});
  for (const auto& one : from.at("outputs")) made.outputs.emplace_back(one.at(0), one.at(1));
  for (const auto& one : from.at("template"))
    made.template_arguments.push_back({one.at(0), one.at(1), one.at(2)});
  made.atomic_outputs = from.at("atomic_outputs").get<bool>();
  made.header = text_of(from.at("header"));
  return made;
}

MetalSource source_of(const json& from) {
  MetalSource made;
  made.function = from.at("function").get<std::string>();
  made.file = from.at("file").get<std::string>();
  made.text = text_of(from.at("text"));
  made.defines = from.at("defines").get<std::map<std::string, std::string>>();
  for (const auto& folder : from.at("include_dirs"))
    made.include_dirs.emplace_back(folder.get<std::string>());
  made.function_constants = from.at("constants").get<std::map<std::string, std::string>>();
  if (!from.at("mlx").is_null()) made.mlx = signature_of(from.at("mlx"));
  return made;
}

const char* name_of(MetalParameter::Kind kind) {
  constexpr const char* kNames[] = {"buffer", "value", "threadgroup", "texture", "sampler"};
  return kNames[static_cast<std::size_t>(kind)];
}

json to_json(const MetalPart& one) {
  json parts = json::array();
  for (const auto& part : one.parts) parts.push_back(to_json(part));
  return {one.name, one.type, one.offset, one.size, one.count, one.writable, parts};
}

json to_json(const MetalParameter& one) {
  return {{"kind", name_of(one.kind)},
          {"name", one.name},
          {"index", one.index},
          {"type", one.written},
          {"writable", one.writable},
          {"memory", to_json(one.memory)}};
}

MetalSize size_of(const json& from) {
  return {from.at(0).get<std::uint32_t>(), from.at(1).get<std::uint32_t>(), from.at(2).get<std::uint32_t>()};
}

MetalBuffer::Use use_of(const std::string& word) {
  return word == "read"     ? MetalBuffer::Use::read
         : word == "change" ? MetalBuffer::Use::change
                            : MetalBuffer::Use::fill;
}

class Service {
 public:
  explicit Service(int fd) : memory_(fd) {}

  json answer(const std::string& line) {
    try {
      const auto request = json::parse(line);
      const auto what = request.at("do").get<std::string>();
      if (what == "load") return load(request);
      if (what == "run") return run(request);
      if (what == "list") return {{"kernels", metal_kernels(source_of(request.at("source")))}};
      if (what != "drop") throw std::invalid_argument("no such request");
      kernels_.erase(request.at("kernel").get<std::uint64_t>());
      return json::object();
    } catch (const MetalError& error) {
      return {{"error", error.what()},
              {"kind", error.unsupported() ? "unsupported" : "metal"},
              {"file", error.file()},
              {"line", error.line()}};
    } catch (const std::invalid_argument& error) {
      return {{"error", error.what()}, {"kind", "value"}};
    } catch (const device::DeviceError& error) {  // a launch that no device takes
      return {{"error", error.what()}, {"kind", "value"}};
    } catch (const std::exception& error) {
      return {{"error", error.what()}, {"kind", "failure"}};
    }
  }

 private:
  json load(const json& request) {
    const MetalOptions options{request.at("checked").get<bool>(), request.at("timeout").get<double>()};
    MetalKernel kernel(source_of(request.at("source")), options);
    json parameters = json::array();
    for (const auto& one : kernel.parameters()) parameters.push_back(to_json(one));
    json done = {{"kernel", next_}, {"function", kernel.function()}, {"parameters", parameters}};
    kernels_.emplace(next_++, std::move(kernel));
    return done;
  }

  json run(const json& request) {
    auto& kernel = kernels_.at(request.at("kernel").get<std::uint64_t>());
    MetalLaunch launch;
    std::vector<std::vector<std::byte>> bytes;
    bytes.reserve(request.at("buffers").size());
    for (const auto& one : request.at("buffers")) {
      const auto use = use_of(one.at(1).get<std::string>());
      const auto offset = one.at(2).get<std::size_t>(), size = one.at(3).get<std::size_t>();
      bytes.push_back(use == MetalBuffer::Use::fill ? std::vector<std::byte>(size)
                                                    : memory_.read(offset, size));
      const auto index = one.at(0).get<std::int64_t>(), part_of = one.at(4).get<std::int64_t>();
      launch.buffers.push_back({index < 0 ? MetalLaunch::kUnbound : static_cast<std::size_t>(index), use,
                                bytes.back(),
                                part_of < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(part_of)),
                                one.at(5).get<std::size_t>()});
    }
    for (const auto& one : request.at("values"))
      launch.values.emplace_back(one.at(0).get<std::size_t>(),
                                 memory_.read(one.at(1).get<std::size_t>(), one.at(2).get<std::size_t>()));
    for (const auto& one : request.at("threadgroup"))
      launch.threadgroup_bytes[one.at(0).get<std::size_t>()] = one.at(1).get<std::size_t>();
    for (const auto& one : request.at("pointers"))
      launch.pointers.push_back(
          {one.at(0).get<std::size_t>(), one.at(1).get<std::size_t>(), one.at(2).get<std::size_t>()});
    for (const auto& one : request.at("textures"))
      launch.textures.push_back({one.at(0).get<std::size_t>(), one.at(1).get<std::size_t>(),
                                 one.at(2).get<std::string>(), one.at(3).get<std::uint32_t>(),
                                 one.at(4).get<std::uint32_t>(), one.at(5).get<std::uint32_t>(),
                                 one.at(6).get<std::uint32_t>()});
    for (const auto& one : request.at("samplers"))
      launch.samplers.push_back({one.at(0).get<std::size_t>(), one.at(1).get<bool>(), one.at(2).get<bool>(),
                                 one.at(3).get<std::string>()});
    launch.grid = size_of(request.at("grid"));
    launch.grid_in_threads = request.at("grid_in_threads").get<bool>();
    launch.threads = size_of(request.at("threads"));
    const auto report = kernel.run(launch);
    if (!report)
      return {{"verdict", report.verdict},
              {"summary", report.summary},
              {"text", report.text},
              {"failure", json::parse(report.json)}};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (!launch.buffers[i].part_of && launch.buffers[i].use != MetalBuffer::Use::read)
        memory_.write(request.at("buffers").at(i).at(2).get<std::size_t>(), bytes[i]);
    }
    return {{"verdict", report.verdict}};
  }

  SharedFile memory_;
  std::map<std::uint64_t, MetalKernel> kernels_;
  std::uint64_t next_ = 1;
};

/// Ends this program where the one that asks has ended in the middle of a launch, which may go on for
/// minutes. (No signal at the parent's death: that comes at the death of the thread that started this
/// program, too.)
void end_with_who_asks() {
  std::thread([] {
    pollfd input{STDIN_FILENO, 0, 0};
    while (::poll(&input, 1, -1) < 0 || (input.revents & (POLLHUP | POLLERR)) == 0) {
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));  // who has no launch in flight ends by himself
    ::kill(::getpid(), SIGTERM);
  }).detach();
}

}  // namespace

int run_command(const ServeArguments& arguments) {
  end_with_who_asks();
  Service service(arguments.memory);
  for (std::string line; std::getline(std::cin, line);) {
    // What is printed for people is cut to their lines; this is for a program.
    std::cout << service.answer(line).dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
    if (!std::cout) throw OutputError();
  }
  return 0;
}

}  // namespace assay::cli
