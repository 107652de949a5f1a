#include "durable_model.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "durable.hpp"
#include "request_error.hpp"
#include "sections.hpp"
#include "sluice/error.hpp"
#include "state.hpp"
#include "text_mark.hpp"

namespace sluice::serve {

namespace {

constexpr const char* kServedSection = "served";
constexpr const char* kPageSection = "page";  // what a page shows; a file without it has only the model
constexpr std::uint32_t kServedVersion = 1;

std::string checkpoint_path(const std::string& folder) {
    return folder + "/model";
}

}  // namespace

RowStream DurableModel::open_stream(ModelSpec&& spec, const std::string& folder,
                                    std::optional<std::vector<std::byte>>& checkpoint) {
    if (folder.empty() || !std::filesystem::exists(checkpoint_path(folder))) {
        return RowStream(std::move(spec));
    }
    checkpoint = io::read_whole(checkpoint_path(folder));
    return {std::move(spec), job::unpack(*checkpoint)};
}

DurableModel::DurableModel(ModelSpec spec, io::Disk& disk, std::string folder)
    : disk_(disk), folder_(std::move(folder)), stream_(open_stream(std::move(spec), folder_, loaded_)) {
    if (loaded_) {
        load_served(*loaded_);
        loaded_.reset();
    }
    if (folder_.empty()) {
        return;
    }
    checkpointed_ = position_;
    BatchLog::replay(folder_, position_, [this](std::uint64_t number, Batch&& batch) {
        RowStream::Read read = stream_.read(batch);
        position_ = number;
        ++replayed_;
        (void)learn(batch, std::move(read));
    });
    log_ = std::make_unique<BatchLog>(disk_, folder_);
    // The files may hold what the kernel has and the disk does not, after a sync that failed: all is written again.
    write_checkpoint();
}

void DurableModel::load_served(std::span<const std::byte> file) {
    const file::SectionView sections(file);
    core::StateReader in = core::StateReader::unframed(sections[kServedSection]);
    std::uint32_t version = 0;
    std::uint64_t answers = 0;
    in.get(version);
    in.require(version == kServedVersion, "the service wrote it in another version");
    in.get(position_);
    in.get(last_seq_);
    in.get(answers);
    in.require(answers <= kKeptAnswers, "it has too many answers");
    for (std::uint64_t i = 0; i < answers; ++i) {
        KeptAnswer kept;
        in.get(kept.seq);
        in.get(kept.text_hash);
        kept.answer = in.get_text();
        answer_bytes_ += kept.answer.size();
        answers_.push_back(std::move(kept));
    }
    in.require(in.left() == 0, "the section of the service is longer than its content");
    if (sections.has(kPageSection)) {
        core::StateReader page = core::StateReader::unframed(sections[kPageSection]);
        stream_.live()->load(page);
    }
}

std::vector<std::byte> DurableModel::served_section() const {
    core::StateWriter out;
    out.put(kServedVersion);
    out.put(position_);
    out.put(last_seq_);
    out.put(std::uint64_t{answers_.size()});
    for (const KeptAnswer& kept : answers_) {
        out.put(kept.seq);
        out.put(kept.text_hash);
        out.put_text(kept.answer);
    }
    return std::move(out).unframed();
}

std::vector<std::byte> DurableModel::model_file() const {
    if (stream_.model() == nullptr) {
        throw RequestError(409, "no_rows", "the model has no rows yet: send some first");
    }
    core::StateWriter page;
    stream_.live()->save(page);
    return stream_.pack({{kServedSection, served_section()}, {kPageSection, std::move(page).unframed()}});
}

void DurableModel::write_checkpoint() {
    if (stream_.model() != nullptr) {
        io::replace_durably(disk_, checkpoint_path(folder_), model_file());
        checkpointed_ = position_;
    }
    log_->begin(position_ + 1);
}

void DurableModel::checkpoint() {
    if (log_ && (batches_since_checkpoint() > 0 || !log_->usable())) {
        write_checkpoint();
    }
}

std::string DurableModel::answer_of(const Batch& batch, const std::string& members, bool repeated) const {
    return fmt::format(R"({{"seq":{},"repeated":{},"durable":{},{}}})"
                       "\n",
                       batch.seq > 0 ? fmt::format("{}", batch.seq) : "null", repeated, durable(), members);
}

DurableModel::Result DurableModel::repeated(const Batch& batch) const {
    for (const KeptAnswer& kept : answers_) {
        if (kept.seq == batch.seq) {
            if (kept.text_hash != io::hash_of(batch.text)) {
                return {.answer = {},
                        .error = std::make_exception_ptr(RequestError(
                            409, "seq_reused",
                            fmt::format("seq {} was another batch: number each batch by itself, the next is {}",
                                        batch.seq, last_seq_ + 1)))};
            }
            return {.answer = answer_of(batch, kept.answer, true), .error = {}};
        }
    }
    return {.answer = answer_of(batch, R"("first_row":null,"rows":null,"skipped":null,"answers":null)", true),
            .error = {}};
}

void DurableModel::keep(const Batch& batch, const std::string& members) {
    if (batch.seq == 0) {
        return;
    }
    last_seq_ = batch.seq;
    answer_bytes_ += members.size();
    answers_.push_back({.seq = batch.seq, .text_hash = io::hash_of(batch.text), .answer = members});
    while (answers_.size() > kKeptAnswers || (answer_bytes_ > kKeptAnswerBytes && answers_.size() > 1)) {
        answer_bytes_ -= answers_.front().answer.size();
        answers_.pop_front();
    }
}

std::string DurableModel::learn(const Batch& batch, RowStream::Read&& read) {
    std::string members = stream_.learn(std::move(read));
    keep(batch, members);
    return members;
}

std::vector<DurableModel::Result> DurableModel::accept(std::span<const Batch> batches) {
    std::vector<Result> results;
    results.reserve(batches.size());
    while (results.size() < batches.size()) {
        (void)accept_group(batches.subspan(results.size()), results);
    }
    return results;
}

// Accepts the first batches, up to one that depends on whether those before it are stored.
std::size_t DurableModel::accept_group(std::span<const Batch> batches, std::vector<Result>& results) {
    const std::size_t before = results.size();
    struct Ready {
        std::size_t place;  // among the results
        const Batch* batch;
        RowStream::Read read;
    };
    std::vector<Ready> ready;
    ready.reserve(batches.size());
    RowStream::ReadingState reading = stream_.reading();
    std::uint64_t seq = last_seq_;
    try {
        if (log_ && !log_->usable()) {
            write_checkpoint();
        }
    } catch (const io::DiskError&) {
        results.push_back({.answer = {}, .error = std::current_exception()});
        return 1;
    }
    for (const Batch& batch : batches) {
        Result result;
        if (batch.seq > 0 && batch.seq <= seq) {
            if (batch.seq > last_seq_) {
                break;  // it repeats one of this group
            }
            result = repeated(batch);
        } else if (batch.seq > seq + 1) {
            result.error = std::make_exception_ptr(RequestError(
                409, "seq_gap", fmt::format("seq {} comes too early: the next batch must be {}", batch.seq, seq + 1)));
        } else {
            bool added = false;
            try {
                if (log_) {
                    log_->add(position_ + ready.size() + 1, batch);
                    added = true;
                }
                ready.push_back({.place = results.size(), .batch = &batch, .read = stream_.read(batch)});
                seq = batch.seq > 0 ? batch.seq : seq;
            } catch (const std::exception&) {
                result.error = std::current_exception();
                if (added) {
                    log_->take_back();
                }
            }
        }
        results.push_back(std::move(result));
    }
    if (log_ && !ready.empty()) {
        try {
            log_->commit();
        } catch (const io::DiskError&) {
            stream_.restore(std::move(reading));
            for (const Ready& one : ready) {
                results[one.place].error = std::current_exception();
            }
            return results.size() - before;
        }
    }
    for (Ready& one : ready) {
        ++position_;
        results[one.place].answer = answer_of(*one.batch, learn(*one.batch, std::move(one.read)), false);
    }
    return results.size() - before;
}

}  // namespace sluice::serve
