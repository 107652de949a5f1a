// state_store.hpp -- the states of all keys of a fleet on the disk, and the moment to which they belong.
//
// The folder has:
//     states-N      states, one after the other; never changed once written
//     manifest      where the state of each key is, and the position in input and output to which all of them belong
// States are appended to the last file at any time: they count when a manifest names them. A manifest replaces the one
// before it as a whole (io::replace_durably), after the states that it names are on the disk. So at every moment, also
// after a power loss, the folder has the states of one moment.
//
// A file whose states were replaced by later ones is deleted; one of which less than half is in use is copied out.
// manifest.previous stays usable: files that it names are deleted one commit later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "disk.hpp"

namespace sluice::fleet {

/// Where a state is.
struct StatePlace {
    std::uint64_t file = 0;  ///< from 1; 0: nowhere
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    friend bool operator==(const StatePlace&, const StatePlace&) = default;
};

class StateStore {
  public:
    /// Opens the folder, which is made where it does not exist. Throws io::DiskError.
    StateStore(io::Disk& disk, std::string folder);
    ~StateStore();
    StateStore(const StateStore&) = delete;
    StateStore& operator=(const StateStore&) = delete;
    StateStore(StateStore&&) = delete;
    StateStore& operator=(StateStore&&) = delete;

    /// The manifest, if there is one. Throws io::DiskError.
    [[nodiscard]] std::optional<std::vector<std::byte>> manifest() const;
    /// After the manifest was read: the states in use. Files that it does not name are deleted.
    void begin(std::span<const StatePlace> in_use);

    /// Throws io::DiskError. Only one thread at a time; get() may run beside it.
    [[nodiscard]] StatePlace put(std::span<const std::byte> state);
    void release(const StatePlace& place);  ///< it was replaced
    [[nodiscard]] std::vector<std::byte> get(const StatePlace& place) const;

    /// Less than half of its file is in use: it should be put() again before commit().
    [[nodiscard]] bool worth_copying(const StatePlace& place) const;
    /// Its file could not be synced: it must be put() again before commit().
    [[nodiscard]] bool must_be_copied(const StatePlace& place) const;
    /// Makes durable what was put, then the manifest. Throws io::DiskError: the folder is then as before.
    void commit(std::span<const std::byte> manifest);

    [[nodiscard]] std::uint64_t bytes() const;  ///< of all files

  private:
    struct File {
        int descriptor = -1;
        std::uint64_t size = 0;
        std::uint64_t used = 0;
        bool synced = true;
        bool failed = false;  ///< a sync of it failed: what it has cannot be relied on, nor a second sync
        bool old = false;     ///< nothing of it was in use at the last commit
    };
    [[nodiscard]] std::string path_of(std::uint64_t number) const;
    void start_file();
    void remove_unused();

    io::Disk& disk_;
    std::string folder_;
    mutable std::mutex mutex_;  // of the table of files
    std::map<std::uint64_t, File> files_;
    std::uint64_t last_ = 0;     // the highest number ever used
    std::uint64_t current_ = 0;  // the file that grows; 0: none
};

}  // namespace sluice::fleet
