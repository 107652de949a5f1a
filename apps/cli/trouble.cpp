#include "trouble.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>
#include <string>

#include "exit_code.hpp"
#include "json_text.hpp"
#include "remedy_words.hpp"
#include "row_reader.hpp"
#include "setting_error.hpp"
#include "sluice/error.hpp"
#include "source.hpp"
#include "usage.hpp"

namespace sluice::cli {

namespace {

struct Trouble {
    int code = kFailed;
    const char* kind = "failure";
    std::string message;
    std::string where = {};  // further JSON fields
};

// The remedies of an error as the last sentence of its message; empty where it has none.
std::string remedy_of(const std::exception& error) {
    const auto* remedied = dynamic_cast<const io::Remedied*>(&error);
    const auto* row = dynamic_cast<const io::RowError*>(&error);
    return remedied == nullptr
               ? ""
               : remedy_sentence(remedied->remedies(), remedied->remedied_column(), row == nullptr ? "" : row->value());
}

Trouble understand(const std::exception_ptr& trouble) {
    try {
        std::rethrow_exception(trouble);
    } catch (const io::RowError& error) {
        return {.code = kBadData,
                .kind = "bad_data",
                .message = error.what() + remedy_of(error),
                .where = fmt::format(R"(,"source":{},"line":{},"byte":{},"column":{},"value":{},"reason":{})",
                                     io::json(error.source()), error.at().line, error.at().byte,
                                     io::json(error.column()), io::json(error.value()), io::json(error.reason()))};
    } catch (const DataError& error) {
        return {.code = kBadData, .kind = "bad_data", .message = error.what() + remedy_of(error)};
    } catch (const io::DamagedSource& error) {
        return {.code = kBadData, .kind = "bad_data", .message = error.what()};
    } catch (const OptionError& error) {
        return {.code = kUsage, .kind = "usage", .message = error.what() + remedy_of(error)};
    } catch (const job::UsageError& error) {
        return {.code = kUsage, .kind = "usage", .message = usage_sentence(error) + remedy_of(error)};
    } catch (const job::SettingError& error) {
        return {.code = kUsage, .kind = "usage", .message = error.what()};
    } catch (const StateError& error) {
        return {.code = kBadModel, .kind = "bad_model", .message = error.what() + remedy_of(error)};
    } catch (const std::bad_alloc&) {
        return {.message = "out of memory"};
    } catch (const std::exception& error) {
        return {.message = error.what()};
    }
}

}  // namespace

int tell_trouble(const std::exception_ptr& trouble, bool as_json) {
    const Trouble known = understand(trouble);
    if (as_json) {
        fmt::print(stderr,
                   R"({{"error":{{"kind":"{}","message":{}{}}},"exit_code":{}}})"
                   "\n",
                   known.kind, io::json(known.message), known.where, known.code);
    } else {
        fmt::print(stderr, "sluice: {}\n", known.message);
    }
    return known.code;
}

}  // namespace sluice::cli
