// usage.hpp -- settings that cannot be used together or as given.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "remedy.hpp"

namespace sluice::job {

/// what() names the settings by their fields ("group_file"); a program that calls them otherwise words it from
/// settings() and reason().
class UsageError : public std::invalid_argument, public io::Remedied {
  public:
    explicit UsageError(const std::string& reason, io::Remedies remedies = {})
        : UsageError({}, reason, std::move(remedies)) {}
    UsageError(std::vector<std::string> settings, const std::string& reason, io::Remedies remedies = {})
        : std::invalid_argument(message(settings, reason)),
          Remedied(std::move(remedies)),
          settings_(std::move(settings)),
          reason_(reason) {}

    [[nodiscard]] const std::vector<std::string>& settings() const noexcept { return settings_; }
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

    /// "out and rejects: " and the reason; the reason alone where no setting is named.
    [[nodiscard]] static std::string message(const std::vector<std::string>& settings, const std::string& reason) {
        std::string out;
        for (const std::string& setting : settings) {
            out += (out.empty() ? "" : " and ") + setting;
        }
        return out.empty() ? reason : out + ": " + reason;
    }

  private:
    std::vector<std::string> settings_;
    std::string reason_;
};

}  // namespace sluice::job
