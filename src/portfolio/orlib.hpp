// orlib.hpp -- OR-Library's indtrack files (J. E. Beasley): prices of an index and of its stocks, without names or dates.
//
//     N  T                        on one line or on two
//     I_0 I_1 ... I_T             the index, T+1 prices
//     p_0 p_1 ... p_T             each of the N stocks in turn
//
// Numbers are parted by blanks, and line breaks mean nothing. indtrack7 holds one series more than its header says.
#pragma once

#include <string_view>

#include "sheet.hpp"
#include "source.hpp"

namespace sluice::portfolio {

/// Whether a text that begins so can be such a file: its first two words are whole numbers.
[[nodiscard]] bool looks_like_orlib(std::string_view beginning);

/// The index is called as the file without its ending (indtrack4), the stocks indtrack4.1, indtrack4.2, ...
/// Whole series beyond those that the header announces are left out, and that is noted: who uses these files elsewhere does
/// the same, and figures stay comparable. Too few numbers, or some left over, are an error: no price could be trusted then.
/// Throws io::RowError for a word that is no number, DataError for a header that cannot be, io::SourceError.
[[nodiscard]] Sheet read_orlib(io::ByteSource& source);

}  // namespace sluice::portfolio
