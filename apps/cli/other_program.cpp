#include "other_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace sluice::cli {

std::string other_program(const std::string& name) {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
    if (!std::filesystem::exists(program)) {
        throw std::runtime_error(program.string() +
                                 " is not there: it is built only on request.\n"
                                 "Build it with: cmake --build build/release --target " +
                                 name);
    }
    return program.string();
}

void start_other_program(const std::string& name, std::vector<std::string> words) {
    std::string path = other_program(name);
    std::vector<char*> arguments = {path.data()};
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execv(path.c_str(), arguments.data());
    throw std::runtime_error("cannot start " + path + ": " + std::strerror(errno));
}

}  // namespace sluice::cli
