// format_to.hpp -- <fmt/format.h> for sources that call fmt::format_to.
//
// fmt 9 does not say that its library holds the function that formats into a buffer. Each source that calls fmt::format_to would
// compile it again: 3 s with -O3. Later versions declare it themselves; without the library it must be compiled. clang gives the
// function another name than g++, which has compiled Debian's library.
#pragma once

#include <fmt/format.h>

#if FMT_VERSION / 10000 == 9 && !defined(FMT_HEADER_ONLY) && !defined(__clang__)
extern template void fmt::detail::vformat_to<char>(fmt::detail::buffer<char>&, fmt::string_view, fmt::format_args,
                                                   fmt::detail::locale_ref);
#endif
