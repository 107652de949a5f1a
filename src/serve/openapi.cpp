#include <string>

#include "api.hpp"
namespace sluice::serve {
const std::string& openapi_json() {
    static const std::string t = "{}";
    return t;
}
}  // namespace sluice::serve
