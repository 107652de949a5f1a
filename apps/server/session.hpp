// session.hpp -- one connection: requests are read, checked and answered, one after the other.
#pragma once

#include "server_state.hpp"

namespace sluice::server {

/// The session holds itself until the connection ends, or becomes an event stream.
void start_session(ServerState& state, tcp::socket&& socket);

}  // namespace sluice::server
