// arguments.hpp -- the options that several commands share: how to read, which column is what, and the model's own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command_line.hpp"
#include "roles.hpp"
#include "row_reader.hpp"
#include "sluice/adaptive_fields.hpp"

namespace sluice::cli {

/// Flags that every command has.
struct OutputFlags {
    bool quiet = false;
    bool json = false;
};

void add_output_flags(CommandLine& command, OutputFlags& flags, const char* json_means);

/// Words of the command line that become something else after parsing.
class ReadingArguments {
  public:
    void add_to(CommandLine& command);
    [[nodiscard]] io::Dialect dialect() const;  ///< throws job::UsageError

  private:
    std::string format_ = "auto";
    bool no_header_ = false;
    std::string delimiter_ = "auto";
    std::string decimal_ = ".";
    std::size_t skip_ = 0;
    std::string comment_;
    std::string missing_;
    std::optional<Option> missing_option_;
};

class RoleArguments {
  public:
    void add_to(CommandLine& command);
    [[nodiscard]] job::RoleRequest request() const;

  private:
    std::string targets_;
    std::string inputs_;
    std::string ignore_;
    std::string time_;
};

/// Every option of the model under its own name: scale_inputs is --scale-inputs or --scale_inputs.
class ModelArguments {
  public:
    void add_to(CommandLine& command);
    /// Only those of StreamOptions: nothing is tuned. `except`: fields that the command has under another meaning.
    /// `defaults`: what its help shows.
    void add_plain_to(CommandLine& command, const std::vector<std::string>& except = {},
                      const StreamOptions& defaults = {});
    /// `options` with what was given on the command line.
    /// `given`: the names of these are appended.
    void apply(AdaptiveOptions& options, std::vector<std::string>& given) const;
    void apply_plain(StreamOptions& options) const;

  private:
    struct Argument {
        const AdaptiveField* field;
        std::unique_ptr<std::string> text;
        Option option;
    };
    /// A field as its help shows it.
    struct Shown {
        const AdaptiveField* field;
        std::string_view values;
        std::string_view help;
        std::string value;
    };
    void add(CommandLine& command, const Shown& shown);
    /// Throws OptionError with the problems of all of them.
    void each_given(const std::function<void(const AdaptiveField&, const std::string&)>& set) const;
    std::vector<Argument> arguments_;
};

/// "a,b,c" to its parts; empty for an empty text.
[[nodiscard]] std::vector<std::string> split(const std::string& text);

}  // namespace sluice::cli
