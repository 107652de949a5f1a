// path.hpp -- the variables that may predict, in order of importance.
//
// One list serves all memories and all numbers of names: the reading with k names uses the first k. After each row
//     candidates    the inputs whose covariance with what the fit leaves is largest, in the leading memory
//     gain of one   |R_j|^2 / d_j, d_j what the variables of the path leave of input j (orthogonal least squares)
//     exchange      the best candidate joins a path that has room, or takes the place of the variable whose loss is least, where it
//                   gains clearly more
//     order         backward elimination: the variable whose loss is least goes to the end, again and again
//
// The fits are tables in which one variable at a time is exchanged (the sweep operator, Goodnight 1979): with A = C~_SS + ridge,
//     [ A  m ]     after exchanging all variables:     [  P   B              ]     P = A^-1
//     [ m' 0 ]                                          [ -B'  -m'A^-1 m      ]     B = P m: coefficients
// and exchanging a variable once more takes it out. Its loss is |B_i|^2 / P_ii.
//
// Gains and losses are those of all memories together, by their weights in the forecast. Variables in use are held.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "memory.hpp"
#include "path_kernels.hpp"

namespace sluice::tune {

/// A memory that takes part in the choice.
struct Voter {
    const Memory* memory = nullptr;
    double weight = 0.0;  // sum 1
    double ridge = 0.0;   // r / n
};

class Path {
  public:
    Path(std::size_t inputs, std::size_t outputs, std::size_t most);

    /// voters: the leading memory first. in_use: the first of the path that predict. room: the length that the path may have.
    /// exchanges: at most this number of candidates enter.
    void update(std::span<const Voter> voters, std::size_t in_use, std::size_t room, std::size_t exchanges);

    [[nodiscard]] std::span<const std::size_t> variables() const { return variables_; }
    /// C among the variables as the last update has read it from this memory; empty where it has not, or where another order of the
    /// variables could round otherwise.
    [[nodiscard]] Memory::Read block_of(const Memory& memory) const;
    /// What the last update has read is no longer what the memories have.
    void forget_blocks() { tabulated_.clear(); }
    /// What the fit by the first `names` variables loses without the one at `place`, as a share of the outputs' variance.
    [[nodiscard]] double gain(std::size_t place, std::size_t names) const;

    void save(core::StateWriter& out) const;
    void load(core::StateReader& in);

  private:
    void drop_constant(std::span<const Voter> voters);
    void tabulate(std::span<const Voter> voters);
    void find_candidates(const Voter& lead);
    struct Gain {
        std::size_t input = 0;
        double gain = -1.0;
    };
    [[nodiscard]] Gain best_candidate(std::span<const Voter> voters);
    /// How the loss of each variable is found, and where.
    kernels::LossRule prepare_losses(std::span<const Voter> voters);
    void put_in_order(std::span<const Voter> voters);
    [[nodiscard]] bool held(std::size_t input) const { return in_use_[input] != 0; }

    std::size_t p_;
    std::size_t q_;
    std::size_t most_;
    std::vector<std::size_t> variables_;
    std::vector<double> gains_;  // [names (most + 1) + place on the path]

    // Scratch of one update.
    std::vector<unsigned char> on_path_;
    std::vector<unsigned char> in_use_;
    std::vector<AlignedNumbers> tables_;          // swept, one for each voter
    std::vector<AlignedNumbers> loss_numbers_;    // pivots, then coefficients, one list for each voter
    std::vector<kernels::LossParts> loss_parts_;  // where these are
    AlignedNumbers hold_;                         // by which the loss of each place counts
    AlignedNumbers held_;                         // losses times that
    std::vector<std::vector<double>>
        blocks_;                              // C among the variables, before they are put in order, one for each voter
    std::vector<const Memory*> tabulated_;    // whose blocks these are
    std::vector<std::vector<double>> units_;  // D of the path, one for each voter
    core::Buffer<double> explained_;          // C D beta E
    std::vector<double> coefficients_;
    AlignedNumbers squares_left_;  // of each input: |M~ - C~_S beta|^2 over its variance
    AlignedNumbers most_left_;     // the largest of each eight
    std::vector<std::pair<double, std::size_t>> scores_;
    std::vector<std::size_t> candidates_;
    std::vector<double> rows_;  // C_jS of the candidates
    AlignedNumbers losses_;     // of each place, with each number of variables
    std::vector<std::size_t> left_;
    std::vector<std::size_t> order_;
};

}  // namespace sluice::tune
