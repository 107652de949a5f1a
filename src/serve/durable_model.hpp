// durable_model.hpp -- a model whose batches are on the disk before they are acknowledged, and which continues after a
// crash as if there had been none.
//
// The folder of a model has:
//     spec.json       what the model was created with
//     model           the last checkpoint: a model file, which `sluice inspect` reads, with the number of the last batch
//                     in it, the last sequence number and the last answers
//     log-N           the batches since (batch_log.hpp)
// Several batches are accepted together: one write and one sync for all of them.
//
// A client may number its batches: seq 1, 2, 3, ... The next one must be the last plus 1. One that was accepted before is
// not learnt again; its answer is given again while it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch_log.hpp"
#include "row_stream.hpp"

namespace sluice::serve {

class DurableModel {
  public:
    /// Without a folder nothing is written. With one, what the folder has is loaded and the log is replayed.
    /// Throws StateError, io::DiskError.
    DurableModel(ModelSpec spec, io::Disk& disk, std::string folder);

    struct Result {
        std::string answer;        ///< JSON; empty where there is an error
        std::exception_ptr error;  ///< the batch was refused, or could not be stored
    };
    /// One result for each batch, in order. Batches that are accepted are on the disk when the function returns.
    [[nodiscard]] std::vector<Result> accept(std::span<const Batch> batches);

    /// A checkpoint and a new log, if there is anything new. Throws io::DiskError.
    void checkpoint();
    [[nodiscard]] std::uint64_t batches_since_checkpoint() const noexcept { return position_ - checkpointed_; }
    [[nodiscard]] std::uint64_t log_bytes() const noexcept { return log_ ? log_->bytes() : 0; }

    [[nodiscard]] bool durable() const noexcept { return log_ != nullptr; }
    [[nodiscard]] RowStream& stream() noexcept { return stream_; }
    [[nodiscard]] const RowStream& stream() const noexcept { return stream_; }
    [[nodiscard]] std::uint64_t last_seq() const noexcept { return last_seq_; }
    [[nodiscard]] std::uint64_t batches() const noexcept { return position_; }
    [[nodiscard]] std::uint64_t replayed() const noexcept { return replayed_; }  ///< batches, when it was opened

    /// The model file as it is now. Throws RequestError before the first row.
    [[nodiscard]] std::vector<std::byte> model_file() const;

    static constexpr std::size_t kKeptAnswers = 64;
    static constexpr std::size_t kKeptAnswerBytes = std::size_t{4} << 20U;

  private:
    struct KeptAnswer {
        std::uint64_t seq = 0;
        std::uint64_t text_hash = 0;
        std::string answer;
    };
    [[nodiscard]] static RowStream open_stream(ModelSpec&& spec, const std::string& folder,
                                               std::optional<std::vector<std::byte>>& checkpoint);
    void load_served(std::span<const std::byte> file);
    [[nodiscard]] std::vector<std::byte> served_section() const;
    [[nodiscard]] Result repeated(const Batch& batch) const;
    [[nodiscard]] std::string answer_of(const Batch& batch, const std::string& members, bool repeated) const;
    [[nodiscard]] std::string learn(const Batch& batch, RowStream::Read&& read);
    void keep(const Batch& batch, const std::string& members);
    void write_checkpoint();
    std::size_t accept_group(std::span<const Batch> batches, std::vector<Result>& results);

    io::Disk& disk_;
    std::string folder_;
    std::optional<std::vector<std::byte>> loaded_;  // while the object is made
    RowStream stream_;
    std::unique_ptr<BatchLog> log_;  // null: nothing is kept
    std::uint64_t position_ = 0;     // number of the last batch that was learnt
    std::uint64_t checkpointed_ = 0;
    std::uint64_t replayed_ = 0;
    std::uint64_t last_seq_ = 0;
    std::deque<KeptAnswer> answers_;
    std::size_t answer_bytes_ = 0;
};

}  // namespace sluice::serve
