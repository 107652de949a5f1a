// A model that was moved from may be destroyed or assigned to. Any other call is a mistake of the caller, and an assertion.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "sluice/adaptive.hpp"
#include "sluice/model.hpp"
#include "support/streams.hpp"

namespace sluice::moved_from_test {
namespace {

template <typename Model>
class MovedFrom : public ::testing::Test {
  protected:
    static constexpr std::size_t p = 6;
    static constexpr std::size_t q = 1;

    static Model taught(std::size_t rows) {
        const auto table = test::factor_table(3, rows, p, q);
        Model model(p, q);
        model.learn_many(table.all_x(), table.all_y());
        return model;
    }
};

using Models = ::testing::Types<StreamModel, AdaptiveModel>;
TYPED_TEST_SUITE(MovedFrom, Models);

TYPED_TEST(MovedFrom, MayBeAssignedToAndGoesOnAsTheSource) {
    const TypeParam source = this->taught(30);
    TypeParam copied = source;
    TypeParam moved = source;
    const TypeParam first = std::move(copied);
    const TypeParam second = std::move(moved);
    copied = source;            // NOLINT(bugprone-use-after-move): allowed
    moved = TypeParam(source);  // NOLINT(bugprone-use-after-move): allowed
    for (const TypeParam* model : {&first, &second, &std::as_const(copied), &std::as_const(moved)}) {
        EXPECT_EQ(model->save(), source.save());
    }
}

TYPED_TEST(MovedFrom, AnyOtherCallIsAnAssertion) {
#ifdef NDEBUG
    GTEST_SKIP() << "this build has no assertions: run `ctest --preset asan`";
#else
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    TypeParam model = this->taught(10);
    const TypeParam taken = std::move(model);
    const std::vector<double> x(this->p, 1.0);
    const std::vector<double> y(this->q, 1.0);
    // NOLINTBEGIN(bugprone-use-after-move): that is what is tested
    EXPECT_DEATH((void)model.predict(x), "moved from");
    EXPECT_DEATH((void)model.learn(x, y), "moved from");
    EXPECT_DEATH((void)model.inputs(), "moved from");
    EXPECT_DEATH((void)model.save(), "moved from");
    EXPECT_DEATH(TypeParam copy(model), "moved from");
    // NOLINTEND(bugprone-use-after-move)
#endif
}

}  // namespace
}  // namespace sluice::moved_from_test
