// orlib.hpp -- OR-Library's indtrack files (J. E. Beasley): prices of an index and of its stocks, without names or dates.
//
//     N  T                        on one line or on two
//     I_0 I_1 ... I_T             the index, T+1 prices
//     p_0 p_1 ... p_T             each of the N stocks in turn
//
// Numbers are separated by blanks or line breaks. indtrack7 has one series more than its header says.
#pragma once

#include <string_view>

#include "sheet.hpp"
#include "source.hpp"

namespace sluice::portfolio {

/// Whether a text with this beginning can be such a file: its first two words are whole numbers.
[[nodiscard]] bool looks_like_orlib(std::string_view beginning);

/// The index is called as the file without its ending (indtrack4), the stocks indtrack4.1, indtrack4.2, ...
/// Whole series beyond those that the header announces are left out, with a note: other users of these files do the same,
/// and figures stay comparable. Too few numbers, or a part of a series, are an error, because no price could be trusted.
/// Throws io::RowError for a word that is not a number, DataError for an impossible header, io::SourceError.
[[nodiscard]] Sheet read_orlib(io::ByteSource& source);

}  // namespace sluice::portfolio
