#include "methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "latent_methods.hpp"
#include "least_squares_methods.hpp"
#include "online_methods.hpp"
#include "sluice/error.hpp"

namespace sluice::baselines {

std::span<const MethodEntry> methods() {
    static const std::vector<MethodEntry> all = [] {
        std::vector<MethodEntry> list;
        for (const auto part : {least_squares_methods(), latent_methods(), online_methods()}) {
            list.insert(list.end(), part.begin(), part.end());
        }
        return list;
    }();
    return all;
}

std::unique_ptr<Method> make_method(std::string_view name, const MethodRequest& request) {
    const auto found = std::ranges::find(methods(), name, &MethodEntry::name);
    if (found == methods().end()) {
        std::vector<std::string_view> names;
        std::ranges::transform(methods(), std::back_inserter(names), &MethodEntry::name);
        throw OptionError({fmt::format("there is no method {}: choose from {}", name, fmt::join(names, ", "))});
    }
    return found->make(request);
}

}  // namespace sluice::baselines
