// registry.hpp -- the named models of the service, and their folders.
//
// With a state folder, DIR/models/NAME is the folder of each model (durable_model.hpp). It appears and vanishes by renaming:
// a crash while a model is created or deleted leaves all of it or nothing. One process at a time has the folder.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lock_file.hpp"
#include "model_host.hpp"

namespace sluice::serve {

class Registry {
  public:
    struct Settings {
        std::string state = {};  ///< folder; empty: nothing is kept
        std::size_t most_models = 64;
        ModelHost::Limits limits = {};
    };
    /// Opens every model of the folder. Throws UsageError where another process has it, io::DiskError, StateError.
    Registry(Settings settings, io::Disk& disk, std::shared_ptr<EventCounts> counts = std::make_shared<EventCounts>());
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;
    Registry(Registry&&) = delete;
    Registry& operator=(Registry&&) = delete;

    using Model = std::shared_ptr<Host>;
    /// True where it is new; false where a model of this name and spec is there already. Throws RequestError where it
    /// has another spec, and io::DiskError.
    [[nodiscard]] bool create(const std::string& name, const ModelSpec& spec);
    /// Throws RequestError where there is none.
    [[nodiscard]] Model find(const std::string& name) const;
    void remove(const std::string& name);
    /// A stream that is only shown, under its name.
    void add(Model watched);
    [[nodiscard]] std::vector<Model> all() const;  ///< by name

    [[nodiscard]] const std::shared_ptr<EventCounts>& event_counts() noexcept { return counts_; }
    [[nodiscard]] bool durable() const noexcept { return !settings_.state.empty(); }

  private:
    [[nodiscard]] std::string folder_of(const std::string& name) const;
    void create_folder(const std::string& name, const std::string& spec);
    void open_folder();
    void sync_models_folder();

    Settings settings_;
    io::Disk& disk_;
    std::optional<io::LockFile> lock_;
    std::shared_ptr<EventCounts> counts_;
    std::mutex changing_;  // of the folder
    mutable std::mutex mutex_;
    std::map<std::string, Model> models_;
};

}  // namespace sluice::serve
