// simd_inl.hpp -- vectors of the instruction set that is being compiled; for the *_kernels.cpp alone.
//
// foreach_target.h includes the kernel file, HWY_TARGET_INCLUDE, again for each set of vector instructions, and that
// includes this file. The best set that the processor has is chosen at run time.
#include <cstddef>

// SSSE3 and the later subsets of AVX-512 have nothing that these loops use: without them there is less to compile.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// Once for each set, also where several kernel files are compiled as one source: foreach_target.h defines
// HWY_TARGET_TOGGLE for every other set.
#if defined(SLUICE_CORE_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef SLUICE_CORE_SIMD_INL
#undef SLUICE_CORE_SIMD_INL
#else
#define SLUICE_CORE_SIMD_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace sluice::core::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Numbers = hn::CappedTag<double, 8>;
using Vec = hn::Vec<Numbers>;

HWY_INLINE std::size_t lanes() {
    return hn::Lanes(Numbers());
}

}  // namespace sluice::core::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once for each set
