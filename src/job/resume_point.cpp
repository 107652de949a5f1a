#include "resume_point.hpp"

#include <cstdint>

#include "names_state.hpp"
#include "sections.hpp"
#include "state.hpp"

namespace sluice::job {

namespace {

constexpr std::uint32_t kFeedVersion = 1;
constexpr std::uint64_t kLongestTail = std::uint64_t{1} << 27U;  // twice the longest row that is read

void put_mark(core::StateWriter& out, const io::OutputMark& mark) {
    for (const std::uint64_t number : {mark.tail_bytes, mark.tail_hash, mark.id.device, mark.id.inode}) {
        out.put(number);
    }
}

void get_mark(core::StateReader& in, io::OutputMark& mark) {
    for (std::uint64_t* number : {&mark.tail_bytes, &mark.tail_hash, &mark.id.device, &mark.id.inode}) {
        in.get(*number);
    }
    in.require(mark.tail_bytes <= mark.length && mark.tail_bytes <= io::OutputFile::kTail,
               "an output has fewer bytes than were hashed");
}

}  // namespace

std::vector<std::byte> resume_section(const ResumePoint& point) {
    core::StateWriter out;
    constexpr std::uint64_t kUnused = 0;  // the place of a number that no version has used
    for (const std::uint64_t number : {point.input.at.line, point.input.at.byte, point.input.rows, point.out.length,
                                       point.rejects.length, kUnused}) {
        out.put(number);
    }
    file::put_texts(out, point.input.columns);
    return std::move(out).unframed();
}

std::optional<std::vector<std::byte>> feed_section(const ResumePoint& point) {
    if (point.input.mark == io::TextMark{}) {
        return std::nullopt;
    }
    core::StateWriter out;
    out.put(kFeedVersion);
    const io::TextMark& mark = point.input.mark;
    for (const std::uint64_t number : {mark.head_bytes, mark.head_hash, mark.tail_bytes, mark.tail_hash,
                                       point.input.file.device, point.input.file.inode}) {
        out.put(number);
    }
    put_mark(out, point.out);
    put_mark(out, point.rejects);
    out.put_text(point.out_unwritten);
    out.put_text(point.rejects_unwritten);
    out.put(static_cast<std::uint8_t>(point.closed ? 1 : 0));
    return std::move(out).unframed();
}

ResumePoint read_resume_point(std::span<const std::byte> resume) {
    core::StateReader in = core::StateReader::unframed(resume);
    ResumePoint point;
    std::uint64_t unused = 0;
    for (std::uint64_t* number : {&point.input.at.line, &point.input.at.byte, &point.input.rows, &point.out.length,
                                  &point.rejects.length, &unused}) {
        in.get(*number);
    }
    point.input.columns = file::get_texts(in);
    file::require(in.left() == 0, "the section of its resume point is longer than its content");
    return point;
}

void read_feed_section(std::span<const std::byte> feed, ResumePoint& point) {
    core::StateReader in = core::StateReader::unframed(feed);
    std::uint32_t version = 0;
    in.get(version);
    in.require(version == kFeedVersion, "its section of the input was written by another version of Sluice");
    io::TextMark& mark = point.input.mark;
    for (std::uint64_t* number : {&mark.head_bytes, &mark.head_hash, &mark.tail_bytes, &mark.tail_hash,
                                  &point.input.file.device, &point.input.file.inode}) {
        in.get(*number);
    }
    in.require(mark.head_bytes > 0 && mark.head_bytes <= point.input.at.byte &&
                   mark.head_bytes <= io::TextMarker::kHead && mark.tail_bytes > 0 && mark.tail_bytes <= kLongestTail &&
                   mark.tail_bytes <= point.input.at.byte,
               "the hashed bytes of the input are out of range");
    get_mark(in, point.out);
    get_mark(in, point.rejects);
    point.out_unwritten = in.get_text();
    point.rejects_unwritten = in.get_text();
    point.closed = in.get_flag();
    file::require(in.left() == 0, "the section of its input is longer than its content");
}

}  // namespace sluice::job
