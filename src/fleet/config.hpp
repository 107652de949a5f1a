// config.hpp -- what a fleet is: the column that tells its models apart, and what each of them is created with. One file
// for every engine: `sluice stream --by`, Spark, Kafka.
//
//     key: turbine            # one model for each value of this column
//     sequence: n             # the number of a row within its key; optional
//     targets: [power]
//     options: {forgetting: 0.98}
//
// All other fields are those of job::ModelSpec.
#pragma once

#include <string>

#include "model_spec.hpp"
#include "setting_node.hpp"

namespace sluice::fleet {

struct Config {
    std::string key;
    std::string sequence;  ///< empty: the rows of a key are learnt in the order in which they come
    job::ModelSpec spec;
};

/// Throws job::SettingError, with every broken rule, and OptionError.
[[nodiscard]] Config read_config(const job::SettingNode& map);
/// One form for each config: equal configs give equal texts.
[[nodiscard]] std::string config_json(const Config& config);

}  // namespace sluice::fleet
