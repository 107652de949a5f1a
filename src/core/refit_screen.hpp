// refit_screen.hpp -- with `deflation = refit`, finds the few inputs whose entries of the direction count, without products
// with C at all inputs in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "buffer.hpp"
#include "kernels.hpp"
#include "regress.hpp"
#include "sluice/options.hpp"
#include "subspace.hpp"
#include "threshold_slack.hpp"
#include "working_units.hpp"

namespace sluice::core {

class SingleGram;

/// The results are those of a search through all inputs.
class RefitScreen {
  public:
    /// The largest ridge: what single precision leaves uncertain of |M~| is then too little to change a direction.
    static constexpr double kMostRidge = 1e-3;

    RefitScreen(std::size_t inputs, std::size_t outputs, const StreamOptions& options);

    /// The component to be found: u of the last row, on what `fit`, the refit on the components before it, leaves of M~.
    struct Wanted {
        std::size_t number;
        const Component& u;
        const Coefficients& fit;
    };
    /// The moments of the row; input_weights: D^2, input_roots: D, or null where D is the identity.
    struct Given {
        const Moments& moments;
        const WorkingUnits& units;
        const double* input_weights;
        const double* input_roots;
    };
    struct Found {
        std::vector<std::size_t> inputs;  // that the component may choose, ascending, without the variables of the fit
        std::vector<double> a;            // a = H u at these
        double largest = 0.0;             // entry at any input
        double left_square = 0.0;         // of what the fit leaves of M~
    };
    /// Before the first component of a row.
    void start_row(const Given& given);
    /// False where the search does not pay, or is not certain enough. expected: the share of the threshold in the largest entry,
    /// a guess that is brought up to date.
    [[nodiscard]] bool find(const Given& given, const Wanted& wanted, double& expected);
    [[nodiscard]] const Found& found() const { return found_; }

  private:
    template <typename Work>
    [[nodiscard]] float largest_of_pieces(const Given& given, const Work& work);
    [[nodiscard]] static const double* roots_from(const Given& given, std::size_t first);
    void find_inner(const Given& given, const Wanted& wanted);
    bool find_left(const Given& given, const Wanted& wanted, const SingleGram& single);
    bool find_units(const Given& given, const SingleGram& single);
    bool add_C_part(const Given& given, const Wanted& wanted, const SingleGram& single, double proportion);
    kernels::Left run_pass(const Given& given, const kernels::LeftOfFit& fit);
    [[nodiscard]] double largest_deviation(const Given& given) const;
    [[nodiscard]] double reach_of_C_part(const Given& given, const Wanted& wanted) const;
    [[nodiscard]] double reach(const Given& given, const Wanted& wanted, double error) const;
    bool narrow(std::size_t need, double reach, ThresholdSlack& slack, double& expected);
    bool compute_exact(const Given& given, const Wanted& wanted, const Parts& parts);
    [[nodiscard]] std::size_t needed(std::size_t keep, std::size_t need);

    StreamOptions options_;
    std::size_t p_;
    Found found_;
    std::vector<ThresholdSlack> slack_;
    std::vector<std::size_t> variables_;  // of the fit and of u
    std::vector<double> weights_;         // D u
    std::vector<double> b_;               // D beta, |S| x q by rows
    std::vector<double> g_;               // of what is left of M~, along u
    std::vector<double> scaled_g_;        // E g
    std::vector<double> products_;
    std::vector<double> coefficients_;  // of the exact products, at variables_
    std::vector<const float*> columns_;
    std::vector<float> factors_;            // of these columns
    struct alignas(kCacheLine) PieceLeft {  // a line of its own: different threads write those of different pieces
        kernels::Left sums{};
    };
    std::vector<PieceLeft> piece_left_;  // sums of each piece of a pass
    std::vector<std::uint32_t> hits_;
    std::vector<double> sizes_;
    std::vector<std::size_t> asked_;
    std::vector<std::size_t> scratch_;

    // In single precision, at all inputs.
    std::size_t length_;
    Buffer<float> cross_;       // D M E / cross_unit_, output by output
    Buffer<float> back_;        // what turns a product with a column of C into working units
    Buffer<float> direction_;   // a, in a unit of its own
    std::vector<float> along_;  // g / g_unit_
    double cross_unit_ = 1.0;   // powers of two
    double g_unit_ = 1.0;
    float largest_cross_ = 0.0F;
    double largest_ = 0.0;      // of direction_
    bool units_known_ = false;  // back_ is that of this row
};

}  // namespace sluice::core
