#include "registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <span>
#include <thread>
#include <utility>

#include "durable.hpp"
#include "request_error.hpp"
#include "usage.hpp"

namespace sluice::serve {

namespace {

namespace fs = std::filesystem;

// Names that no model can have.
constexpr std::string_view kNewPrefix = ".new-";
constexpr std::string_view kDeletedPrefix = ".deleted-";

void make_private_folder(const std::string& path) {
    std::error_code problem;
    if (fs::create_directories(path, problem); problem) {
        throw io::DiskError("create", path, problem.value());
    }
    fs::permissions(path, fs::perms::owner_all, problem);  // the rows are the user's own
}

}  // namespace

Registry::Registry(Settings settings, io::Disk& disk, std::shared_ptr<EventCounts> counts)
    : settings_(std::move(settings)), disk_(disk), counts_(std::move(counts)) {
    if (durable()) {
        open_folder();
    }
}

Registry::~Registry() = default;

std::string Registry::folder_of(const std::string& name) const {
    check_model_name(name);
    return fmt::format("{}/models/{}", settings_.state, name);
}

void Registry::sync_models_folder() {
    if (disk_.sync_folder(settings_.state + "/models/.") != 0) {
        throw io::DiskError("sync", settings_.state + "/models", errno);
    }
}

void Registry::open_folder() {
    if (fs::exists(settings_.state) && !fs::is_directory(settings_.state)) {
        throw job::UsageError({"state"}, settings_.state + " is not a folder");
    }
    make_private_folder(settings_.state);
    lock_.emplace(settings_.state + "/sluice");
    if (const auto holder = lock_->holder()) {
        throw job::UsageError({"state"},
                              fmt::format("{} is in use by {}: stop it, or give another folder", settings_.state,
                                          *holder > 0 ? fmt::format("process {}", *holder) : "another process"));
    }
    make_private_folder(settings_.state + "/models");
    for (const auto& entry : fs::directory_iterator(settings_.state + "/models")) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kNewPrefix) || name.starts_with(kDeletedPrefix)) {
            fs::remove_all(entry.path());  // a crash has left it
        } else if (is_model_name(name) && entry.is_directory() && !entry.is_symlink()) {
            const std::vector<std::byte> spec = io::read_whole(folder_of(name) + "/spec.json");
            try {
                models_[name] = std::make_shared<ModelHost>(
                    name, parse_spec({reinterpret_cast<const char*>(spec.data()), spec.size()}), disk_, folder_of(name),
                    counts_, settings_.limits, ModelHost::Opening::by_thread);
            } catch (const std::exception& error) {
                throw StateError(fmt::format("{}/spec.json: {}", folder_of(name), error.what()));
            }
        }
    }
}

// Whole before it has its name.
void Registry::create_folder(const std::string& name, const std::string& spec) {
    const std::string folder = folder_of(name);
    const std::string made = fmt::format("{}/models/{}{}", settings_.state, kNewPrefix, name);
    fs::remove_all(made);
    make_private_folder(made);
    io::replace_durably(disk_, made + "/spec.json", std::as_bytes(std::span(spec)));
    if (disk_.rename(made, folder) != 0) {
        throw io::DiskError("rename", made, errno);
    }
    sync_models_folder();
}

bool Registry::create(const std::string& name, const ModelSpec& spec) {
    check_model_name(name);
    const std::scoped_lock one_at_a_time(changing_);
    const std::string json = spec_json(spec);
    {
        const std::scoped_lock lock(mutex_);
        if (const auto known = models_.find(name); known != models_.end()) {
            if (known->second->spec() == json) {
                return false;
            }
            throw RequestError(409, "exists",
                               fmt::format("the model {} exists with other settings: delete it first, or use another "
                                           "name",
                                           name));
        }
        if (models_.size() >= settings_.most_models) {
            throw RequestError(409, "too_many",
                               fmt::format("there are {} models already: delete one, or start the "
                                           "server with a larger --max-models",
                                           models_.size()));
        }
    }
    if (durable()) {
        create_folder(name, json);
    }
    Model model;
    try {
        model = std::make_shared<ModelHost>(name, spec, disk_, durable() ? folder_of(name) : std::string(), counts_,
                                            settings_.limits, ModelHost::Opening::at_once);
    } catch (const std::exception&) {
        if (durable()) {
            std::error_code ignored;
            fs::remove_all(folder_of(name), ignored);
        }
        throw;
    }
    const std::scoped_lock lock(mutex_);
    models_[name] = std::move(model);
    return true;
}

Registry::Model Registry::find(const std::string& name) const {
    const std::scoped_lock lock(mutex_);
    const auto known = models_.find(name);
    if (known == models_.end()) {
        throw RequestError(404, "no_model", "there is no model of this name: GET /v1/models lists them");
    }
    return known->second;
}

void Registry::remove(const std::string& name) {
    const std::scoped_lock one_at_a_time(changing_);
    Model model = find(name);
    model->abandon();
    {
        const std::scoped_lock lock(mutex_);
        models_.erase(name);
    }
    const std::string deleted = fmt::format("{}/models/{}{}", settings_.state, kDeletedPrefix, name);
    if (durable()) {
        fs::remove_all(deleted);
        if (disk_.rename(folder_of(name), deleted) != 0) {
            throw io::DiskError("rename", folder_of(name), errno);
        }
        sync_models_folder();
    }
    while (model.use_count() > 1) {  // requests that have just found it: its thread ends here, and holds up nobody else
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    model.reset();
    if (durable()) {
        std::error_code ignored;
        fs::remove_all(deleted, ignored);
    }
}

void Registry::add(Model watched) {
    const std::scoped_lock lock(mutex_);
    models_[watched->name()] = std::move(watched);
}

std::vector<Registry::Model> Registry::all() const {
    const std::scoped_lock lock(mutex_);
    std::vector<Model> out;
    out.reserve(models_.size());
    for (const auto& [name, model] : models_) {
        out.push_back(model);
    }
    return out;
}

}  // namespace sluice::serve
