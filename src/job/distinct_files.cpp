#include "distinct_files.hpp"

#include <filesystem>
#include <system_error>

#include "replaceable.hpp"
#include "usage.hpp"

namespace sluice::job {

namespace {

bool is_file_name(const std::string& path) {
    std::error_code none_yet;
    return !path.empty() && path != "-" &&
           (!std::filesystem::exists(path, none_yet) || std::filesystem::is_regular_file(path, none_yet));
}

bool are_one_file(const std::string& a, const std::string& b) {
    std::error_code none_yet;
    return std::filesystem::equivalent(a, b, none_yet) || io::resolved_path(a) == io::resolved_path(b);
}

}  // namespace

void check_files_differ(const std::vector<NamedFile>& files) {
    for (std::size_t a = 0; a < files.size(); ++a) {
        for (std::size_t b = a + 1; b < files.size(); ++b) {
            if ((files[a].written || files[b].written) && is_file_name(files[a].path) && is_file_name(files[b].path) &&
                are_one_file(files[a].path, files[b].path)) {
                throw UsageError({files[a].setting, files[b].setting}, "both are the same file, " + files[b].path);
            }
        }
    }
}

}  // namespace sluice::job
