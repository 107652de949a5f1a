#include "state_store.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "support/hard_disks.hpp"
#include "support/scratch.hpp"

namespace sluice::fleet::state_store_test {
namespace {

using sluice::test::FailingDisk;
using sluice::test::FragileDisk;
using sluice::test::PowerLoss;
using sluice::test::Scratch;

std::span<const std::byte> bytes(const std::string& text) {
    return std::as_bytes(std::span(text));
}
std::string text(const std::vector<std::byte>& from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
}

// Three keys whose states are their generation, and a manifest that says where they are.
class Generations {
  public:
    explicit Generations(StateStore& store) : store_(store) {}
    void write(int generation) {
        std::string manifest = std::to_string(generation);
        std::vector<StatePlace> next = places_;
        next.resize(3);
        for (std::size_t key = 0; key < 3; ++key) {
            next[key] = store_.put(bytes("key " + std::to_string(key) + " of " + std::to_string(generation)));
            manifest += " " + std::to_string(next[key].file) + " " + std::to_string(next[key].offset) + " " +
                        std::to_string(next[key].length);
        }
        for (const StatePlace& place : places_) {
            store_.release(place);
        }
        places_ = next;
        store_.commit(bytes(manifest));
    }

  private:
    StateStore& store_;
    std::vector<StatePlace> places_;
};

// The generation that a folder holds, whole; -1: none.
int read_back(const std::string& folder) {
    StateStore store(io::real_disk(), folder);
    const auto manifest = store.manifest();
    if (!manifest) {
        return -1;
    }
    std::istringstream in(text(*manifest));
    int generation = 0;
    in >> generation;
    std::vector<StatePlace> places(3);
    for (StatePlace& place : places) {
        in >> place.file >> place.offset >> place.length;
    }
    store.begin(places);
    for (std::size_t key = 0; key < 3; ++key) {
        EXPECT_EQ(text(store.get(places[key])), "key " + std::to_string(key) + " of " + std::to_string(generation));
    }
    return generation;
}

TEST(StateStore, HasTheStatesOfTheLastCommitAndForgetsWhatCameAfter) {
    const Scratch scratch;
    {
        StateStore store(io::real_disk(), scratch.path("fleet"));
        store.begin({});
        Generations generations(store);
        for (int generation = 0; generation < 5; ++generation) {
            generations.write(generation);
        }
        (void)store.put(bytes("not committed"));
    }
    EXPECT_EQ(read_back(scratch.path("fleet")), 4);
}

TEST(StateStore, AfterAPowerLossAtAnyCallTheFolderHasOneGenerationWhole) {
    std::mt19937_64 random(1);
    std::size_t calls = 1;
    for (std::size_t until = 1; until <= calls; ++until) {
        const Scratch scratch;
        const std::string folder = scratch.path("fleet");
        FragileDisk disk(until);
        int committed = -1;
        try {
            StateStore store(disk, folder);
            store.begin({});
            Generations generations(store);
            for (int generation = 0; generation < 4; ++generation) {
                generations.write(generation);
                committed = generation;
            }
        } catch (const PowerLoss&) {
        }
        calls = committed == 3 ? calls : until + 1;
        for (int attempt = 0; attempt < 5; ++attempt) {
            std::filesystem::remove_all(folder);
            std::filesystem::create_directories(folder);
            for (const auto& [path, content] : disk.after_power_loss(random)) {
                std::ofstream(path, std::ios::binary) << content;
            }
            const int found = read_back(folder);
            EXPECT_GE(found, committed) << "lost what was committed, power loss at call " << until;
            EXPECT_LE(found, committed + 1);
        }
    }
    EXPECT_GT(calls, 20U);
}

TEST(StateStore, WhicheverCallFailsWhatWasCommittedIsThereAndTheNextCommitWorks) {
    for (std::size_t failing = 1; failing < 40; ++failing) {
        const Scratch scratch;
        const std::string folder = scratch.path("fleet");
        FailingDisk disk(failing, ENOSPC);
        int committed = -1;
        {
            StateStore store(disk, folder);
            store.begin({});
            Generations generations(store);  // puts every state again, as a fleet does after a failed sync
            for (int generation = 0; generation < 4; ++generation) {
                try {
                    generations.write(generation);
                    committed = generation;
                } catch (const io::DiskError&) {
                }
            }
        }
        EXPECT_GE(committed, 2) << disk.failed_call();
        EXPECT_GE(read_back(folder), committed) << disk.failed_call();
    }
}

TEST(StateStore, FilesWithoutStatesInUseAreDeletedOneCommitLater) {
    const Scratch scratch;
    const std::string folder = scratch.path("fleet");
    StateStore store(io::real_disk(), folder);
    store.begin({});
    const std::string large(std::size_t{9} << 20U, 'x');
    StatePlace before;
    for (int i = 0; i < 12; ++i) {
        const StatePlace now = store.put(bytes(large));
        store.release(before);
        before = now;
        store.commit(bytes("m"));
    }
    EXPECT_LT(store.bytes(), std::uint64_t{60} << 20U);
    EXPECT_EQ(store.get(before).size(), large.size());
}

}  // namespace
}  // namespace sluice::fleet::state_store_test
