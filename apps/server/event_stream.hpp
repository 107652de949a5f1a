// event_stream.hpp -- one connection that listens to the events of a model.
//
// Whoever publishes never waits for it: a write is begun when the one before has ended, and takes all that waits. A client that
// does not read for HttpSettings::write_time is cut.
#pragma once

#include <memory>

#include "server_state.hpp"

namespace sluice::server {

/// Sends the head of the answer, then events until the client or the model ends. The stream holds itself until then.
void start_event_stream(ServerState& state, CountedConnection&& connection, tcp::socket&& socket,
                        std::shared_ptr<serve::Subscription> subscription);

}  // namespace sluice::server
