#include "lars.hpp"

#include <gtest/gtest.h>
TEST(Lars, Placeholder) {}
