// message.hpp -- a message for the user while a job runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "remedy.hpp"

namespace sluice::job {

struct Message {
    enum class Severity : std::uint8_t { note, warning };
    Severity severity = Severity::note;
    std::string text;
    io::Remedies remedies = {};
    std::string value = {};  ///< that Remedy::mark_missing means
};
using MessageHandler = std::function<void(const Message& message)>;

}  // namespace sluice::job
