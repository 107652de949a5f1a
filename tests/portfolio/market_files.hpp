// market_files.hpp -- small files of prices in a scratch folder, and what their notes say.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "read_market.hpp"
#include "support/scratch.hpp"

namespace sluice::test {

inline std::string notes_of(const portfolio::Market& market) {
    std::string out;
    for (const std::string& note : market.notes) {
        out += note + "\n";
    }
    return out;
}

/// The position of a name.
inline std::size_t place(const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// Texts to files to a market.
class MarketFiles {
  public:
    std::string add(const std::string& name, const std::string& text) {
        const std::string path = scratch_.path(name);
        write_file(path, text);
        return path;
    }
    portfolio::Market read(const std::string& text, portfolio::MarketRequest request = {.index = {"I"}}) {
        request.files = {add("prices.csv", text)};
        return portfolio::read_market(request);
    }
    /// What the error says; empty where there is none.
    std::string trouble(const std::string& text, portfolio::MarketRequest request = {.index = {"I"}}) {
        request.files = {add("prices.csv", text)};
        return refused(request);
    }
    static std::string refused(const portfolio::MarketRequest& request) {
        try {
            (void)portfolio::read_market(request);
        } catch (const std::exception& error) {
            return error.what();
        }
        return {};
    }
    /// The remedies of the error; none where there is no error.
    io::Remedies remedies(const std::string& text, portfolio::MarketRequest request = {.index = {"I"}}) {
        request.files = {add("prices.csv", text)};
        try {
            (void)portfolio::read_market(request);
        } catch (const std::exception& error) {
            const auto* remedied = dynamic_cast<const io::Remedied*>(&error);
            return remedied == nullptr ? io::Remedies{} : remedied->remedies();
        }
        return {};
    }

  private:
    Scratch scratch_;
};

#define SLUICE_EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace sluice::test
