#include "added_inputs.hpp"

#include <limits>
#include <string>

#include "byte_text.hpp"
#include "engine.hpp"
#include "sluice/error.hpp"
#include "sluice/report.hpp"
#include "text.hpp"

namespace sluice::core {

void check_added_inputs(std::size_t inputs, std::size_t count, const StreamOptions& options) {
    if (count > std::numeric_limits<std::size_t>::max() - inputs) {
        throw OptionError({"inputs = " + text(inputs) + ", and " + text(count) + " are added: must be fewer"});
    }
    if (!options.groups.empty()) {
        throw OptionError(
            {"groups: must be left empty where inputs are added, which have no group; make a new model, with "
             "the group of each input"});
    }
}

void check_engine_memory(Engine engine, std::size_t inputs, std::size_t outputs, const StreamOptions& options) {
    const std::size_t bytes = engine_bytes(engine, inputs, outputs, options);
    if (bytes > options.memory_limit) {
        const unsigned unit = byte_unit(options.memory_limit);
        throw OptionError({"memory_limit = " + byte_text_in(options.memory_limit, unit) + ": must be at least " +
                           byte_text_in(bytes, unit) + ", which engine = " + std::string(name_of(engine)) +
                           " needs for " + text(inputs) +
                           " inputs; a model keeps its engine when inputs are added. Make a new model"});
    }
}

}  // namespace sluice::core
