// resume_point.hpp -- where a run was when its checkpoint was written: in its input and in its outputs.
//
// In a model file it has two sections. "standing" is that of the first format: position, counts, columns, lengths. "feed"
// tells the files apart: hashes of the input, its number, hashes of the outputs, and records that could not be written.
// A file without "feed" is an earlier one, and its input is not checked.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "feed.hpp"
#include "output_file.hpp"

namespace sluice::job {

struct ResumePoint {
    FeedPlace input;  ///< of the next row
    io::OutputMark out;
    io::OutputMark rejects;
    std::string out_unwritten;      ///< records that follow in --out: it could not be written
    std::string rejects_unwritten;  ///< the same of --rejects
    bool closed = false;            ///< written when the run ended: nothing came after it

    friend bool operator==(const ResumePoint&, const ResumePoint&) = default;
};

inline constexpr const char* kResumeSection = "standing";
inline constexpr const char* kFeedSection = "feed";

[[nodiscard]] std::vector<std::byte> resume_section(const ResumePoint& point);
/// Nothing for a point that an earlier version wrote.
[[nodiscard]] std::optional<std::vector<std::byte>> feed_section(const ResumePoint& point);

/// Throws StateError.
[[nodiscard]] ResumePoint read_resume_point(std::span<const std::byte> resume);
void read_feed_section(std::span<const std::byte> feed, ResumePoint& point);

}  // namespace sluice::job
