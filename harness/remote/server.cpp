#include "harness/remote/server.hpp"

#include <cstring>
#include <exception>
#include <string>
#include <unordered_map>
#include <variant>

#include "harness/remote/fault_json.hpp"
#include "harness/remote/messages.hpp"
#include "harness/sandbox/processor_clock.hpp"

namespace assay::remote {
namespace {

using nlohmann::json;

const process::Reporter* g_reporter = nullptr;  // of the server that runs in this process

class Server {
 public:
  Server(device::Device& device, const Window& window, device::LoopBudget* budget,
         const process::Reporter& reporter)
      : device_(device), window_(window), budget_(budget), reporter_(reporter) {}

  json next() { return json::parse(window_.receive(received_++)); }

  void answer(const json& request) {
    try {
      change_all(request.at("before"));
      reporter_.send({{"done", result_of(request)}});
    } catch (const device::DeviceError& failed) {
      reporter_.send({{"failed", failed.what()}, {"device", true}});
    } catch (const std::exception& failed) {
      reporter_.send({{"failed", failed.what()}, {"device", false}});
    }
  }

 private:
  device::BufferId known(device::BufferId judges) const {
    const auto found = buffers_.find(static_cast<std::uint32_t>(judges));
    if (found == buffers_.end())
      throw device::DeviceError("there is no buffer " + std::to_string(static_cast<std::uint32_t>(judges)) +
                                ": it was released, or belongs to another device");
    return found->second;
  }

  device::BufferId buffer_of(const json& number) const {
    return known(static_cast<device::BufferId>(number.get<std::uint32_t>()));
  }

  // One that fails must not keep the others from what is theirs: buffers are released there, too.
  void change_all(const json& commands) {
    std::exception_ptr first;
    for (const auto& command : commands) {
      try {
        change(command);
      } catch (const std::exception&) {
        if (!first) first = std::current_exception();
      }
    }
    if (first) std::rethrow_exception(first);
  }

  void change(const json& command) {
    const auto name = command.at(0).get<std::string>();
    const auto number = [&](std::size_t i) { return command.at(i).get<std::size_t>(); };
    if (name == "allocate") {
      buffers_[command.at(1).get<std::uint32_t>()] = device_.allocate(number(2));
    } else if (name == "allocate_sparse") {
      buffers_[command.at(1).get<std::uint32_t>()] = device_.allocate_sparse(number(2));
    } else if (name == "release") {
      // One that could not be had is not there.
      if (const auto found = buffers_.extract(command.at(1).get<std::uint32_t>()); found)
        device_.release(found.mapped());
    } else if (name == "upload") {
      device_.upload(buffer_of(command.at(1)), number(2), window_.to_buffers().subspan(number(4), number(3)));
    } else if (name == "repeat") {
      device_.upload_repeated(buffer_of(command.at(1)), number(2), number(3),
                              window_.to_buffers().subspan(number(5), number(4)));
    } else if (name == "forget") {
      device_.forget(buffer_of(command.at(1)), number(2), number(3));
    }
  }

  json result_of(const json& request) {
    const auto what = request.at("do").get<std::string>();
    if (what == "launch") return launch(request);
    if (what == "nothing") return json::object();
    const auto buffer = buffer_of(request.at("buffer"));
    if (what == "gather") {
      std::size_t at = 0;
      for (const auto& range : request.at("ranges")) {
        const auto size = range.at(1).get<std::size_t>();
        device_.download(buffer, range.at(0).get<std::size_t>(), window_.from_buffers().subspan(at, size));
        at += size;
      }
      return json::object();
    }
    const auto offset = request.at("offset").get<std::size_t>(), size = request.at("size").get<std::size_t>();
    if (what == "download") {
      device_.download(buffer, offset, window_.from_buffers().first(size));
      return json::object();
    }
    json ranges = json::array();
    for (const auto& range : device_.touched(buffer, offset, size))
      ranges.push_back({range.begin, range.end});
    return {{"touched", ranges}};
  }

  // The judge's numbers of buffers become the device's.
  void translate(device::Dispatch& launch) const {
    for (auto& argument : launch.arguments) {
      if (auto* slice = std::get_if<device::BufferSlice>(&argument)) slice->buffer = known(slice->buffer);
    }
    for (auto& texture : launch.textures) {
      if (texture) texture->memory.buffer = known(texture->memory.buffer);
    }
    for (auto& pointer : launch.pointers) {
      pointer.holder = known(pointer.holder);
      pointer.target.buffer = known(pointer.target.buffer);
    }
  }

  json launch(const json& request) {
    device::Dispatch launch = dispatch_from(request.at("launch"));
    translate(launch);
    device::PlannedSchedule planned;
    if (request.contains("plan")) {
      planned.plan = plan_from(request.at("plan"));
      launch.planned = &planned;
    }
    if (budget_ != nullptr) budget_->left = request.at("rounds").get<std::int64_t>();
    json done = {{"report", remote::to_json(device_.dispatch(launch))}};
    if (budget_ != nullptr) done["rounds"] = budget_->left;
    if (launch.planned != nullptr) done["record"] = remote::to_json(planned.record);
    std::size_t at = 0;
    for (const auto& one : request.at("copies")) {
      const auto size = one.at(1).get<std::size_t>();
      device_.download(buffer_of(one.at(0)), 0, window_.from_buffers().subspan(at, size));
      at += size;
    }
    return done;
  }

  device::Device& device_;
  const Window& window_;
  device::LoopBudget* budget_;
  const process::Reporter& reporter_;
  std::uint32_t received_ = 0;
  std::unordered_map<std::uint32_t, device::BufferId> buffers_;  // by the judge's numbers
};

}  // namespace

void serve(device::Device& device, const Window& window, device::LoopBudget* budget,
           const process::Reporter& reporter) {
  g_reporter = &reporter;
  Server server(device, window, budget, reporter);
  for (;;) {
    const json request = server.next();
    sandbox::restart_processor_clock();
    server.answer(request);
  }
}

void tell(const device::Fault& fault) {
  if (g_reporter != nullptr) g_reporter->send(fault_message(fault));
}

}  // namespace assay::remote
