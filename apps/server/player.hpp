// player.hpp -- plays the built-in stream into a model, as a client would: endless, and its important inputs change.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "registry.hpp"

namespace sluice::server {

class Player {
  public:
    /// Creates the model "switching" where there is none. `registry` outlives the object.
    Player(serve::Registry& registry, double rows_per_second);
    ~Player();
    Player(const Player&) = delete;
    Player& operator=(const Player&) = delete;
    Player(Player&&) = delete;
    Player& operator=(Player&&) = delete;

    static constexpr const char* kModel = "switching";

  private:
    void play();

    serve::Registry& registry_;
    double rows_per_second_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace sluice::server
