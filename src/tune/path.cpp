#include "path.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gram.hpp"
#include "state.hpp"

namespace sluice::tune {

namespace {

constexpr std::size_t kCandidates = 8;  // as many as quadratic_forms() takes
// What the path leaves of an input counts as at least this share of it: a near copy of a variable would gain by rounding.
constexpr double kLeastLeft = 1e-3;
constexpr double kLeastPivot = 1e-12;
// Two that differ by less are alike, and the first of them is taken: rounding, and with it the units, does not decide. With two rows
// every input explains the same.
constexpr double kAlike = 1.0 + 1e-9;

std::size_t stride_of(std::size_t n) {
    return (n + 7) / 8 * 8;
}

double ratio(const core::Moments& moments, std::size_t k) {
    const double n_k = moments.outputs.weight(k);
    return n_k > 0.0 ? moments.inputs.weight() / n_k : 0.0;
}

}  // namespace

Path::Path(std::size_t inputs, std::size_t outputs, std::size_t most)
    : p_(inputs),
      q_(outputs),
      most_(most),
      on_path_(inputs, 0),
      in_use_(inputs, 0),
      explained_(core::column_stride(inputs) * outputs) {
    for (auto* list : {&variables_, &left_, &order_}) {
        list->reserve(most + 1);
    }
    gains_.reserve((most + 1) * (most + 1));
    losses_.reserve((most + 2) * stride_of(most + 1));
    hold_.reserve(stride_of(most + 1));
    held_.reserve(stride_of(most + 1));
    coefficients_.reserve((most + 1) * outputs);
    scores_.reserve(kCandidates + 1);
    candidates_.reserve(kCandidates);
    squares_left_.reserve(core::padded(inputs));
    most_left_.reserve(core::padded(inputs) / core::kLanes);
    rows_.reserve((kCandidates + 1) * (most + 1));
    tables_.resize(kMemories.size() + 1);
    for (auto& table : tables_) {
        table.reserve((most + 1 + outputs) * (most + 8 + outputs));
    }
    loss_numbers_.resize(tables_.size());
    for (auto& numbers : loss_numbers_) {
        numbers.reserve((1 + outputs) * stride_of(most + 1));
    }
    loss_parts_.reserve(tables_.size());
    units_.resize(tables_.size());
    for (auto& units : units_) {
        units.reserve(most + 1);
    }
    blocks_.resize(tables_.size());
    for (auto& block : blocks_) {
        block.reserve((most + 1) * (most + 1));
    }
    tabulated_.reserve(tables_.size());
}

// One that stopped varying is constant for a short memory long before it is for the others, which still know what it does.
void Path::drop_constant(std::span<const Voter> voters) {
    std::erase_if(variables_, [&](std::size_t j) {
        return std::ranges::all_of(
            voters, [&](const Voter& v) { return v.memory->units().input_unit(v.memory->moments(), j) == 0.0; });
    });
}

// T of each voter, swept on all variables of the path.
void Path::tabulate(std::span<const Voter> voters) {
    const std::size_t size = variables_.size();
    const std::size_t n = size + q_;
    const std::size_t stride = stride_of(n);
    tabulated_.clear();
    for (std::size_t b = 0; b < voters.size(); ++b) {
        const core::Moments& m = voters[b].memory->moments();
        const core::WorkingUnits& units = voters[b].memory->units();
        AlignedNumbers& T = tables_[b];
        std::vector<double>& block = blocks_[b];
        T.resize(n * stride);
        block.resize(size * size);
        tabulated_.push_back(voters[b].memory);
        if (size > 0) {
            (void)m.inputs.gram().prepare(variables_, m.inputs.squares(), m.inputs.workers());
            m.inputs.gram().block(variables_, block);
        }
        std::vector<double>& d = units_[b];
        d.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            d[i] = units.input_unit(m, variables_[i]);
        }
        kernels::scale_block(block.data(), d.data(), size, stride, T.data());
        for (std::size_t i = 0; i < size; ++i) {
            T[(i * stride) + i] += voters[b].ridge;
        }
        for (std::size_t k = 0; k < q_; ++k) {
            const double unit = units.output_units()[k];
            const double times = ratio(m, k);
            for (std::size_t i = 0; i < size; ++i) {
                T[(i * stride) + size + k] = d[i] * m.inputs.cross(variables_[i], k) * unit * times;
            }
        }
        kernels::exchange_all(T.data(), size, n, stride, kLeastPivot);  // the rows of -B' are not needed
    }
}

// The inputs off the path with the largest |M~ - C~_S beta|.
void Path::find_candidates(const Voter& lead) {
    const core::Moments& m = lead.memory->moments();
    const core::WorkingUnits& units = lead.memory->units();
    const std::size_t size = variables_.size();
    const std::size_t n = size + q_;
    const std::size_t stride = stride_of(n);
    const std::size_t column = m.inputs.cross_stride();
    if (size > 0) {
        coefficients_.resize(size * q_);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t k = 0; k < q_; ++k) {
                coefficients_[(i * q_) + k] = units_[0][i] * tables_[0][(i * stride) + size + k];
            }
        }
        m.inputs.gram().multiply(variables_, coefficients_, q_, explained_.data(), column, m.inputs.workers());
    } else {
        std::ranges::fill(explained_.all(), 0.0);
    }
    squares_left_.resize(core::padded(p_));
    most_left_.resize(core::padded(p_) / core::kLanes);
    for (std::size_t k = 0; k < q_; ++k) {
        kernels::add_squares_left({.cross = m.inputs.cross() + (k * column),
                                   .unit = units.output_units()[k],
                                   .times = ratio(m, k),
                                   .explained = explained_.data() + (k * column)},
                                  squares_left_.size(), k == 0, squares_left_.data());
    }
    kernels::divide_squares_left(m.inputs.squares().data(), squares_left_.size(), squares_left_.data(),
                                 most_left_.data());
    scores_.clear();
    for (std::size_t j = 0; j < p_; ++j) {
        if (j % core::kLanes == 0 && scores_.size() == kCandidates &&
            !(most_left_[j / core::kLanes] > kAlike * scores_.back().first)) {
            j += core::kLanes - 1;  // none of these
            continue;
        }
        if (on_path_[j] != 0) {
            continue;
        }
        const double square = squares_left_[j];
        if (scores_.size() < kCandidates || square > kAlike * scores_.back().first) {
            if (!(square > 0.0) || units.input_unit(m, j) == 0.0) {
                continue;
            }
            const auto at = std::ranges::find_if(scores_, [&](const auto& s) { return kAlike * s.first < square; });
            scores_.insert(at, {square, j});
            if (scores_.size() > kCandidates) {
                scores_.pop_back();
            }
        }
    }
    candidates_.clear();
    for (const auto& [square, j] : scores_) {
        candidates_.push_back(j);
    }
}

// Gain in fit, as a share of the outputs' variance.
Path::Gain Path::best_candidate(std::span<const Voter> voters) {
    const std::size_t size = variables_.size();
    const std::size_t n = size + q_;
    const std::size_t stride = stride_of(n);
    const std::size_t count = candidates_.size();
    std::array<double, kCandidates> gains{};
    for (std::size_t b = 0; b < voters.size(); ++b) {
        const core::Moments& m = voters[b].memory->moments();
        const core::WorkingUnits& units = voters[b].memory->units();
        const AlignedNumbers& T = tables_[b];
        rows_.assign(kCandidates * (size + 1), 0.0);
        std::array<double, kCandidates> d{};
        for (std::size_t c = 0; c < count; ++c) {
            d[c] = units.input_unit(m, candidates_[c]);
        }
        m.inputs.gram().multiply_each_at(variables_, units_[b], candidates_, rows_.data(), kCandidates);
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t c = 0; c < count; ++c) {
                rows_[(kCandidates * i) + c] *= d[c];
            }
        }
        std::array<double, kCandidates> shared{};  // a'P a
        kernels::quadratic_forms(T.data(), size, stride, rows_.data(), shared.data());
        for (std::size_t c = 0; c < count; ++c) {
            if (d[c] == 0.0) {
                continue;
            }
            double square = 0.0;
            for (std::size_t k = 0; k < q_; ++k) {
                double r = d[c] * m.inputs.cross(candidates_[c], k) * units.output_units()[k] * ratio(m, k);
                for (std::size_t i = 0; i < size; ++i) {
                    r -= rows_[(kCandidates * i) + c] * T[(i * stride) + size + k];
                }
                square += r * r;
            }
            const double left = 1.0 + voters[b].ridge - shared[c];
            gains[c] += voters[b].weight * square / std::max(left, kLeastLeft);
        }
    }
    Gain best;
    for (std::size_t c = 0; c < count; ++c) {
        if (gains[c] > kAlike * best.gain) {
            best = {.input = candidates_[c], .gain = gains[c]};
        }
    }
    return best;
}

kernels::LossRule Path::prepare_losses(std::span<const Voter> voters) {
    const std::size_t size = variables_.size();
    const std::size_t apart = stride_of(size);
    losses_.resize((size + 1) * apart);
    hold_.resize(apart);
    held_.resize(apart);
    for (std::size_t i = 0; i < size; ++i) {
        hold_[i] = in_use_[variables_[i]] != 0 ? 1.0 + kHoldInUse : 1.0;
    }
    loss_parts_.clear();
    for (std::size_t b = 0; b < voters.size(); ++b) {
        loss_numbers_[b].resize((1 + q_) * apart);
        loss_parts_.push_back({.T = tables_[b].data(),
                               .stride = stride_of(size + q_),
                               .pivots = loss_numbers_[b].data(),
                               .crosses = loss_numbers_[b].data() + apart,
                               .apart = apart,
                               .outputs = q_,
                               .weight = voters[b].weight});
    }
    return {.size = size, .least = kLeastPivot, .alike = kAlike, .hold = hold_.data()};
}

void Path::update(std::span<const Voter> voters, std::size_t in_use, std::size_t room, std::size_t exchanges) {
    drop_constant(voters);
    in_use = std::min(in_use, variables_.size());
    if (variables_.size() > room) {
        variables_.resize(std::max(room, in_use));
    }
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        on_path_[variables_[i]] = 1;
        in_use_[variables_[i]] = i < in_use ? 1 : 0;
    }
    tabulate(voters);
    for (std::size_t turn = 0; turn < exchanges; ++turn) {
        find_candidates(voters.front());
        const Gain best = best_candidate(voters);
        if (best.gain < 0.0) {
            break;
        }
        if (variables_.size() < room) {
            variables_.push_back(best.input);
        } else {
            const kernels::LossRule rule = prepare_losses(voters);
            const kernels::LeastLoss least = kernels::least_loss(loss_parts_, rule, losses_.data(), held_.data());
            if (best.gain <= (1.0 + kHold) * least.loss) {
                break;
            }
            on_path_[variables_[least.place]] = 0;
            in_use_[variables_[least.place]] = 0;
            variables_[least.place] = best.input;
        }
        on_path_[best.input] = 1;
        tabulate(voters);
    }
    put_in_order(voters);
    for (const std::size_t j : variables_) {
        on_path_[j] = 0;
        in_use_[j] = 0;
    }
}

void Path::put_in_order(std::span<const Voter> voters) {
    const std::size_t size = variables_.size();
    const kernels::LossRule rule = prepare_losses(voters);
    order_.resize(size);
    gains_.resize((most_ + 1) * (most_ + 1));  // all that gain() may be asked for is written below
    if (size > 0) {
        kernels::eliminate(loss_parts_, rule, order_.data(), losses_.data(), held_.data());
    }
    std::ranges::reverse(order_);
    for (std::size_t names = 1; names <= size; ++names) {
        double* gains = gains_.data() + (names * (most_ + 1));
        const double* losses = losses_.data() + (names * stride_of(size));
        for (std::size_t i = 0; i < names; ++i) {
            gains[i] = losses[order_[i]] / static_cast<double>(q_);
        }
    }
    left_.assign(variables_.begin(), variables_.end());
    for (std::size_t i = 0; i < size; ++i) {
        variables_[i] = left_[order_[i]];
    }
}

Memory::Read Path::block_of(const Memory& memory) const {
    const auto found = std::ranges::find(tabulated_, &memory);
    if (found == tabulated_.end() || memory.moments().inputs.gram().engine() != Engine::dense) {
        return {};
    }
    const auto b = static_cast<std::size_t>(found - tabulated_.begin());
    return {.block = blocks_[b], .units = units_[b], .order = order_};
}

double Path::gain(std::size_t place, std::size_t names) const {
    return gains_.empty() ? 0.0 : gains_[(names * (most_ + 1)) + place];
}

void Path::save(core::StateWriter& out) const {
    out.put_list(variables_);
    for (std::size_t names = 1; names <= variables_.size(); ++names) {
        for (std::size_t i = 0; i < names; ++i) {
            out.put_near(gain(i, names), names > 1 && i + 1 < names ? gain(i, names - 1) : 0.0);
        }
    }
}

void Path::load(core::StateReader& in) {
    const std::vector<std::size_t> read = in.get_list();
    in.require(read.size() <= most_, "its path has more variables than it may");
    for (const std::size_t j : read) {
        in.require(j < p_ && on_path_[j] == 0, "a variable of its path is twice there, or is no input");
        on_path_[j] = 1;
    }
    for (const std::size_t j : read) {
        on_path_[j] = 0;
    }
    variables_.assign(read.begin(), read.end());
    gains_.assign((most_ + 1) * (most_ + 1), 0.0);
    for (std::size_t names = 1; names <= variables_.size(); ++names) {
        for (std::size_t i = 0; i < names; ++i) {
            gains_[(names * (most_ + 1)) + i] = in.get_near(names > 1 && i + 1 < names ? gain(i, names - 1) : 0.0);
        }
    }
}

}  // namespace sluice::tune
