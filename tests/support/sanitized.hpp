// sanitized.hpp -- whether the tests are built with sanitizers, which make them some twelve times as slow.
//
// Sanitizers look for faults in how code is executed, not for wrong results: a test that repeats the same lines thousands of
// times repeats them less often there. The build without sanitizers runs all of it.
#pragma once

namespace sluice::test {

#ifdef SLUICE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace sluice::test
