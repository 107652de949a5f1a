// message.hpp -- what a job says to the user while it runs.
#pragma once

#include <functional>
#include <string>

#include "remedy.hpp"

namespace sluice::job {

struct Message {
    enum class Severity { note, warning };
    Severity severity = Severity::note;
    std::string text;
    io::Remedies remedies = {};
};
using MessageHandler = std::function<void(const Message& message)>;

}  // namespace sluice::job
