#include "resumed_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "output_search.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

bool is_written_through(const std::string& path) {
    std::error_code none_yet;
    return path == "-" ||
           (std::filesystem::exists(path, none_yet) && !std::filesystem::is_regular_file(path, none_yet));
}

bool is_missing_or_empty(const std::string& path) {
    std::error_code none_yet;
    return !std::filesystem::exists(path, none_yet) || std::filesystem::file_size(path, none_yet) == 0;
}

std::unique_ptr<io::OutputFile> new_file(io::Disk& disk, const OutputRequest& request) {
    auto file = std::make_unique<io::OutputFile>(disk, request.path);
    const bool has_header = request.mark.length == 0 && !request.unwritten.empty();  // among what was not written
    if (!has_header) {
        file->begin(request.header);
    }
    file->text() += request.unwritten;
    return file;
}

std::unique_ptr<io::OutputFile> continued_file(io::Disk& disk, const OutputRequest& request) {
    auto file = std::make_unique<io::OutputFile>(disk, request.path, request.mark.length);
    file->text() += request.unwritten;
    return file;
}

}  // namespace

std::unique_ptr<io::OutputFile> open_output(io::Disk& disk, const OutputRequest& request,
                                            const MessageHandler& message) {
    if (!request.resumed) {
        return new_file(disk, request);
    }
    if (is_written_through(request.path)) {
        return request.mark.length > 0 ? continued_file(disk, request) : new_file(disk, request);
    }
    if (request.as_new) {
        if (!is_missing_or_empty(request.path)) {
            throw UsageError({request.setting, "new_out"}, request.path + " has content: give the name of a new file");
        }
        return new_file(disk, request);
    }
    const io::FoundOutput found = io::find_output(disk, request.path, request.mark);
    if (found == io::FoundOutput::present && request.mark.length > 0) {
        return continued_file(disk, request);
    }
    if (found == io::FoundOutput::none && request.mark.length > 0) {
        if (!request.closed || !is_missing_or_empty(request.path)) {
            throw UsageError(
                {request.setting},
                fmt::format("neither {0} nor {0}.1 to {0}.9 has the {1} bytes up to the checkpoint: it was "
                            "renamed, replaced or changed. Give it its name back",
                            request.path, request.mark.length),
                {io::Remedy::new_outputs});
        }
        message({.text = fmt::format("{} was taken away after the last run: a new one begins", request.path)});
    }
    auto file = new_file(disk, request);
    if (found == io::FoundOutput::renamed || request.mark.length > 0 || request.mark.id != io::FileId{}) {
        file->mark_by_identity();
    }
    return file;
}

void reopen_output(io::OutputFile& file, const std::string& header, const MessageHandler& message) {
    file.sync();
    try {
        if (file.reopen()) {
            file.begin(header);
        }
    } catch (const io::DiskError& error) {
        message({.severity = Message::Severity::warning,
                 .text = fmt::format("{}. The file that was open before is written on", error.what())});
    }
}

}  // namespace sluice::job
