// sluice.hpp -- all of Sluice.
#pragma once

#include "sluice/adaptive.hpp"         // IWYU pragma: export
#include "sluice/adaptive_fields.hpp"  // IWYU pragma: export
#include "sluice/error.hpp"            // IWYU pragma: export
#include "sluice/fit.hpp"              // IWYU pragma: export
#include "sluice/interval.hpp"         // IWYU pragma: export
#include "sluice/matrix.hpp"           // IWYU pragma: export
#include "sluice/model.hpp"            // IWYU pragma: export
#include "sluice/model_file.hpp"       // IWYU pragma: export
#include "sluice/moments.hpp"          // IWYU pragma: export
#include "sluice/option_fields.hpp"    // IWYU pragma: export
#include "sluice/options.hpp"          // IWYU pragma: export
#include "sluice/report.hpp"           // IWYU pragma: export
#include "sluice/saved_kind.hpp"       // IWYU pragma: export
#include "sluice/score.hpp"            // IWYU pragma: export
#include "sluice/simulate.hpp"         // IWYU pragma: export
#include "sluice/tuning.hpp"           // IWYU pragma: export
#include "sluice/version.hpp"          // IWYU pragma: export
