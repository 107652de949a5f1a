#include "model_host.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "request_error.hpp"

namespace sluice::serve {

namespace {

constexpr std::chrono::milliseconds kSnapshotInterval{100};  // while more rows wait
constexpr int kShareOfThread = 10;                           // checkpoints: a tenth of its time

double seconds_since(ModelHost::Clock::time_point then) {
    return std::chrono::duration<double>(ModelHost::Clock::now() - then).count();
}

// Of the exception that is being handled.
std::string what_of() {
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    }
}

}  // namespace

ModelHost::ModelHost(std::string name, ModelSpec spec, io::Disk& disk, std::string folder,
                     std::shared_ptr<EventCounts> counts, Limits limits, Opening opening)
    : name_(std::move(name)),
      spec_(std::move(spec)),
      spec_json_(spec_json(spec_)),
      disk_(disk),
      folder_(std::move(folder)),
      limits_(limits),
      snapshot_(std::make_shared<Snapshot>()),
      followers_(counts),
      published_(Clock::now()),
      snapshot_made_(Clock::now()),
      checkpointed_(Clock::now()) {
    if (opening == Opening::at_once) {
        open();
    }
    thread_ = std::thread([this] { run(); });
}

void ModelHost::open() {
    model_.emplace(std::move(spec_), disk_, folder_);
    publish_snapshot();
    const std::scoped_lock lock(mutex_);
    ready_ = true;
}

bool ModelHost::ready() const {
    const std::scoped_lock lock(mutex_);
    return ready_;
}

ModelHost::~ModelHost() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

std::shared_ptr<const Snapshot> ModelHost::snapshot() const {
    const std::scoped_lock lock(mutex_);
    return snapshot_;
}

std::string ModelHost::problem() const {
    const std::scoped_lock lock(mutex_);
    return problem_;
}

std::size_t ModelHost::waiting() const {
    const std::scoped_lock lock(mutex_);
    return tasks_.size();
}

void ModelHost::enqueue(Task task) {
    {
        const std::scoped_lock lock(mutex_);
        const bool full = tasks_.size() >= limits_.waiting ||
                          (!tasks_.empty() && waiting_bytes_ + task.batch.text.size() > limits_.waiting_bytes);
        if (!full && !ending_) {
            waiting_bytes_ += task.batch.text.size();
            tasks_.push_back(std::move(task));
            wake_.notify_one();
            return;
        }
    }
    task.respond(error_response(RequestError(
        429, "busy",
        "more rows wait for this model than fit in its queue: send the same request again a little later")));
}

void ModelHost::post_rows(Batch batch, Respond respond) {
    enqueue({.view = {}, .batch = std::move(batch), .respond = std::move(respond), .came = Clock::now()});
}

void ModelHost::get(View view, Respond respond) {
    enqueue({.view = view, .batch = {}, .respond = std::move(respond), .came = Clock::now()});
}

std::shared_ptr<Subscription> ModelHost::subscribe(report::Span span) {
    const auto now = snapshot();
    std::string state = state_json(name_, *now, spec_json_);
    state.pop_back();  // its newline
    return followers_.subscribe(span, now->rows, state);
}

void ModelHost::run() {
    try {
        if (!model_) {
            open();
        }
    } catch (const std::exception& error) {
        {
            const std::scoped_lock lock(mutex_);
            problem_ = error.what();
        }
        refuse_all(std::make_exception_ptr(
            RequestError(503, "damaged",
                         fmt::format("the model {} could not be opened: {}. Its files are unchanged; other models work",
                                     name_, error.what()))));
        return;
    }
    serve_until_ended();
    if (broken_) {
        refuse_all(broken_);
    } else if (!abandoned_) {
        try {
            model_->checkpoint();
        } catch (const std::exception&) {
            ++failed_checkpoints_;  // the log has everything
        }
    }
    followers_.end();
}

void ModelHost::refuse_all(const std::exception_ptr& why) {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
        if (tasks_.empty()) {
            return;
        }
        std::deque<Task> tasks = std::exchange(tasks_, {});
        waiting_bytes_ = 0;
        lock.unlock();
        for (Task& task : tasks) {
            task.respond(error_response(why));
        }
        lock.lock();
    }
}

ModelHost::Clock::time_point ModelHost::next_deadline() const {
    auto deadline = Clock::time_point::max();
    if (published_batches_ != model_->batches()) {
        deadline = std::min(deadline, published_ + limits_.update_interval);
    }
    if (model_->durable() && model_->batches_since_checkpoint() > 0) {
        deadline = std::min<Clock::time_point>(
            deadline, checkpointed_ + std::max<Clock::duration>(limits_.checkpoint_age, checkpoint_pause_));
    }
    return deadline;
}

void ModelHost::serve_until_ended() {
    for (;;) {
        std::deque<Task> tasks;
        {
            std::unique_lock lock(mutex_);
            const auto something = [this] { return ending_ || !tasks_.empty(); };
            if (const auto deadline = next_deadline(); deadline == Clock::time_point::max()) {
                wake_.wait(lock, something);
            } else {
                wake_.wait_until(lock, deadline, something);
            }
            if (tasks_.empty() && ending_) {
                return;
            }
            tasks = std::exchange(tasks_, {});
            waiting_bytes_ = 0;
        }
        process(tasks);
        if (broken_) {
            return;
        }
        if (published_batches_ != model_->batches() && Clock::now() - published_ >= limits_.update_interval) {
            publish_update();
        }
        checkpoint_if_due();
    }
}

void ModelHost::process(std::deque<Task>& tasks) {
    while (!tasks.empty()) {
        if (tasks.front().view) {
            Response response;
            try {
                response = computed(*tasks.front().view);
            } catch (const std::exception&) {
                response = error_response(std::current_exception());
            }
            tasks.front().respond(std::move(response));
            tasks.pop_front();
        } else {
            answer_rows(tasks);
        }
    }
}

// All batches up to the next request of another kind.
void ModelHost::answer_rows(std::deque<Task>& tasks) {
    std::vector<Batch> batches;
    const auto end = std::ranges::find_if(tasks, [](const Task& task) { return task.view.has_value(); });
    for (auto task = tasks.begin(); task != end; ++task) {
        batches.push_back(std::move(task->batch));
    }
    std::vector<DurableModel::Result> results;
    std::exception_ptr failure;
    try {
        results = model_->accept(batches);
    } catch (const std::exception&) {  // of learning: a batch was stored, and cannot be learnt
        failure = std::make_exception_ptr(RequestError(
            503, "failed", fmt::format("the model {} could not learn a batch that is stored: {}", name_, what_of())));
        broken_ = failure;
        const std::scoped_lock lock(mutex_);
        problem_ = "a batch could not be learnt";
    }
    if (waiting() == 0 || Clock::now() - snapshot_made_ >= kSnapshotInterval) {
        publish_snapshot();  // before the answers: whoever has one sees its rows
    }
    for (std::size_t i = 0; i < batches.size(); ++i) {
        Task& task = tasks.front();
        latency_.add(seconds_since(task.came));
        if (failure || results[i].error) {
            task.respond(error_response(failure ? failure : results[i].error));
        } else {
            task.respond({.body = std::move(results[i].answer)});
        }
        tasks.pop_front();
    }
}

std::string ModelHost::compute(View view) const {
    switch (view) {
        case View::coefficients:
            return coefficients_json(*model_);
        case View::whole_history:
        case View::latest_history: {
            const report::LiveHistory* live = model_->stream().live();
            if (live == nullptr) {
                throw RequestError(409, "no_rows", "the model has no rows yet: send some first");
            }
            const auto span = view == View::whole_history ? report::Span::whole : report::Span::latest;
            return report::snapshot_json(live->history(span), page_text()) + "\n";
        }
        default: {
            const std::vector<std::byte> bytes = model_->model_file();
            return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
        }
    }
}

Response ModelHost::computed(View view) {
    CachedText& kept = computed_[static_cast<std::size_t>(view)];
    Response response{.body = kept.get(model_->batches(), [&] { return compute(view); })};
    if (view == View::model_file) {
        response.content_type = "application/octet-stream";
        response.headers.emplace_back("Content-Disposition", fmt::format("attachment; filename=\"{}.sluice\"", name_));
    }
    return response;
}

void ModelHost::publish_snapshot() {
    auto snapshot = std::make_shared<const Snapshot>(snapshot_of(*model_));
    snapshot_made_ = Clock::now();
    const std::scoped_lock lock(mutex_);
    snapshot_ = std::move(snapshot);
}

void ModelHost::publish_update() {
    publish_snapshot();
    published_ = Clock::now();
    published_batches_ = model_->batches();
    for (const job::Event& event : model_->stream().take_events()) {
        followers_.publish_event(event.row, job::event_json(event));
    }
    if (report::LiveHistory* live = model_->stream().live()) {
        const auto snapshot = this->snapshot();
        followers_.publish_update(snapshot->rows, update_members(*snapshot), *live, page_text());
    }
}

report::ReportText ModelHost::page_text() const {
    const RowStream::Model* model = model_->stream().model();
    return {.title = {}, .source = name_, .inputs = model == nullptr ? 0 : model->input_names.size()};
}

void ModelHost::checkpoint_if_due() {
    const auto now = Clock::now();
    if (!model_->durable() || model_->batches_since_checkpoint() == 0) {
        checkpointed_ = now;
        return;
    }
    const bool old = now - checkpointed_ >= std::max<Clock::duration>(limits_.checkpoint_age, checkpoint_pause_);
    if (!old && model_->log_bytes() < limits_.log_bytes) {
        return;
    }
    try {
        model_->checkpoint();
    } catch (const std::exception&) {
        ++failed_checkpoints_;  // the log has everything, and the next batch tries again
    }
    checkpointed_ = Clock::now();
    checkpoint_pause_ = kShareOfThread * (checkpointed_ - now);
}

}  // namespace sluice::serve
