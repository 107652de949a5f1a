#include "contestant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "learner.hpp"
#include "suggest.hpp"
#include "usage.hpp"

namespace sluice::compare {

namespace {

class SluiceContestant final : public Contestant {
  public:
    explicit SluiceContestant(AdaptiveModel model) : model_(std::move(model)) {}

    void predict(std::span<const double> x, std::span<double> y) const override { model_.predict(x, y); }
    void learn(std::span<const double> x, std::span<const double> y) override { model_.learn(x, y); }
    std::span<const double> predict_and_learn(std::span<const double> x, std::span<const double> y) override {
        return model_.learn(x, y).predicted;
    }
    [[nodiscard]] std::vector<std::size_t> selected() const override {
        const auto now = model_.selected();
        return {now.begin(), now.end()};
    }
    [[nodiscard]] std::size_t bytes() const override { return model_.bytes(); }

  private:
    AdaptiveModel model_;
};

class BaselineContestant final : public Contestant {
  public:
    BaselineContestant(std::unique_ptr<baselines::Method> method, std::size_t outputs)
        : method_(std::move(method)), predicted_(outputs) {}

    void predict(std::span<const double> x, std::span<double> y) const override { method_->predict(x, y); }
    void learn(std::span<const double> x, std::span<const double> y) override { method_->learn(x, y); }
    std::span<const double> predict_and_learn(std::span<const double> x, std::span<const double> y) override {
        method_->predict(x, predicted_);
        method_->learn(x, y);
        return predicted_;
    }
    [[nodiscard]] std::vector<std::size_t> selected() const override { return method_->selected(); }
    [[nodiscard]] std::size_t bytes() const override { return method_->bytes(); }

  private:
    std::unique_ptr<baselines::Method> method_;
    std::vector<double> predicted_;
};

std::unique_ptr<Contestant> make_self_tuning(const Task& task) {
    const auto& request = task.request;
    AdaptiveOptions options;
    options.model.names = std::min(request.names, request.inputs);
    options.tuning.intercept = job::intercept_may_drift(task.horizon);
    return sluice_contestant(AdaptiveModel(request.inputs, request.outputs, options));
}

// Two components of 20 variables, or of as many as there may be.
std::unique_ptr<Contestant> make_paper(const Task& task) {
    const auto& request = task.request;
    AdaptiveOptions options{.model = StreamOptions::paper(), .tuning = Tuning::off()};
    const std::size_t most = std::min(request.names, request.inputs);
    options.model.components = std::min(options.model.components_for(request.inputs), request.inputs);
    for (std::size_t& keep : options.model.keep) {
        keep = std::min(keep, most);
    }
    options.model.names = most;
    return sluice_contestant(AdaptiveModel(request.inputs, request.outputs, options));
}

}  // namespace

std::unique_ptr<Contestant> sluice_contestant(AdaptiveModel model) {
    return std::make_unique<SluiceContestant>(std::move(model));
}

std::unique_ptr<Contestant> baseline_contestant(std::unique_ptr<baselines::Method> method, std::size_t outputs) {
    return std::make_unique<BaselineContestant>(std::move(method), outputs);
}

std::vector<Entry> all_entries() {
    std::vector<Entry> all = {
        {.name = "sluice", .title = "Sluice, self-tuning", .paper = {}, .selects = true, .make = make_self_tuning},
        {.name = "sluice_paper",
         .title = "Sluice, the paper's settings",
         .paper = "McWilliams and Montana",
         .selects = true,
         .make = make_paper}};
    for (const baselines::MethodEntry& method : baselines::methods()) {
        all.push_back({.name = std::string(method.name),
                       .title = std::string(method.title),
                       .paper = std::string(method.paper),
                       .selects = method.selects,
                       .make = [make = method.make](const Task& task) {
                           return baseline_contestant(make(task.request), task.request.outputs);
                       }});
    }
    return all;
}

std::vector<Entry> entries_named(const std::vector<std::string>& names) {
    std::vector<Entry> all = all_entries();
    if (names.size() == 1 && names.front() == "all") {
        return all;
    }
    std::vector<std::string> known = {"all"};
    std::ranges::transform(all, std::back_inserter(known), &Entry::name);
    std::vector<Entry> chosen;
    for (const std::string& name : names) {
        const auto at = std::ranges::find(all, name, &Entry::name);
        if (at == all.end()) {
            if (name == "all") {
                throw job::UsageError({"methods"}, "all cannot be given beside other names");
            }
            const std::string nearest = io::did_you_mean(name, known);
            throw job::UsageError({"methods"}, fmt::format("there is no method {}{} The methods are {}", name,
                                                           nearest.empty() ? "." : nearest, fmt::join(known, ", ")));
        }
        if (std::ranges::find(chosen, name, &Entry::name) != chosen.end()) {
            throw job::UsageError({"methods"}, fmt::format("{} is given twice", name));
        }
        chosen.push_back(*at);
    }
    if (chosen.empty()) {
        throw job::UsageError({"methods"}, fmt::format("give all, or names from {}", fmt::join(known, ", ")));
    }
    return chosen;
}

}  // namespace sluice::compare
