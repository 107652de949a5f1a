// http_client.hpp -- a server as its own process, and a client that sends given bytes.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sluice::test {

struct HttpAnswer {
    int status = 0;
    std::map<std::string, std::string> headers;  ///< names in small letters
    std::string body;
};

/// One connection to 127.0.0.1. Nothing throws after it is connected: what fails is an answer without a status.
class HttpConnection {
  public:
    explicit HttpConnection(std::uint16_t port, int receive_buffer = 0) {
        socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (receive_buffer > 0) {
            ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
        }
        const int yes = 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
    }
    ~HttpConnection() { ::close(socket_); }
    HttpConnection(const HttpConnection&) = delete;
    HttpConnection& operator=(const HttpConnection&) = delete;
    HttpConnection(HttpConnection&&) = delete;
    HttpConnection& operator=(HttpConnection&&) = delete;

    [[nodiscard]] bool connected() const noexcept { return connected_; }
    [[nodiscard]] int socket() const noexcept { return socket_; }

    bool send(const std::string& text) {
        for (std::size_t sent = 0; sent < text.size();) {
            const ssize_t done = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
            if (done <= 0) {
                return false;
            }
            sent += static_cast<std::size_t>(done);
        }
        return true;
    }

    /// More of what comes; false at the end, or after `seconds`.
    bool receive(double seconds = 10.0) {
        pollfd wait{.fd = socket_, .events = POLLIN, .revents = 0};
        if (::poll(&wait, 1, static_cast<int>(1000.0 * seconds)) <= 0) {
            return false;
        }
        char part[65536];
        const ssize_t got = ::recv(socket_, part, sizeof(part), 0);
        if (got <= 0) {
            ended_ = true;
            return false;
        }
        buffer_.append(part, static_cast<std::size_t>(got));
        return true;
    }
    [[nodiscard]] std::string& received() noexcept { return buffer_; }
    [[nodiscard]] bool ended() const noexcept { return ended_; }  ///< the server has closed it

    /// Whether the server closes the connection within that time.
    bool closed_within(double seconds) {
        const auto begin = std::chrono::steady_clock::now();
        for (;;) {
            const double left =
                seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            if (ended_ || left <= 0.0) {
                return ended_;
            }
            (void)receive(left);
        }
    }

    HttpAnswer answer(double seconds = 10.0) {
        HttpAnswer out;
        std::size_t head = 0;
        for (;;) {
            while ((head = buffer_.find("\r\n\r\n")) == std::string::npos) {
                if (!receive(seconds)) {
                    return {};
                }
            }
            if (!buffer_.starts_with("HTTP/1.1 100")) {
                break;
            }
            buffer_.erase(0, head + 4);
        }
        out.status = std::atoi(buffer_.c_str() + 9);
        for (std::size_t at = buffer_.find("\r\n") + 2; at < head;) {
            const std::size_t end = buffer_.find("\r\n", at);
            const std::size_t colon = buffer_.find(": ", at);
            std::string name = buffer_.substr(at, colon - at);
            for (char& c : name) {
                c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
            }
            out.headers[name] = buffer_.substr(colon + 2, end - colon - 2);
            at = end + 2;
        }
        buffer_.erase(0, head + 4);
        const auto length = out.headers.find("content-length");
        const std::size_t bytes =
            length == out.headers.end() ? 0 : static_cast<std::size_t>(std::atoll(length->second.c_str()));
        while (buffer_.size() < bytes) {
            if (!receive(seconds)) {
                return {};
            }
        }
        out.body = buffer_.substr(0, bytes);
        buffer_.erase(0, bytes);
        return out;
    }

    HttpAnswer ask(const std::string& method, const std::string& target, const std::string& body = {},
                   const std::string& headers = "Content-Type: application/json\r\n") {
        if (!connected_ || !send(request(method, target, body, headers))) {
            return {};
        }
        return answer();
    }
    static std::string request(const std::string& method, const std::string& target, const std::string& body = {},
                               const std::string& headers = "Content-Type: application/json\r\n") {
        return method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
               (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body;
    }

  private:
    int socket_ = -1;
    bool connected_ = false;
    bool ended_ = false;
    std::string buffer_;
};

/// A process whose first line of output is "http://ADDRESS:PORT/".
class ServerProcess {
  public:
    /// `log` is a file for its standard error. `words` begin with the program.
    ServerProcess(const std::vector<std::string>& words, const std::string& log = "/dev/null") {
        int out[2];
        if (::pipe2(out, O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe");
        }
        process_ = ::fork();
        if (process_ == 0) {
            std::vector<char*> arguments;
            for (const std::string& word : words) {
                arguments.push_back(const_cast<char*>(word.c_str()));
            }
            arguments.push_back(nullptr);
            ::dup2(out[1], STDOUT_FILENO);
            const int errors = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
            ::dup2(errors, STDERR_FILENO);
            ::execv(arguments[0], arguments.data());
            ::_exit(127);
        }
        ::close(out[1]);
        std::string line;
        for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) {
            line += c;
        }
        ::close(out[0]);
        const std::size_t colon = line.rfind(':');
        if (line.starts_with("http://") && colon != std::string::npos) {
            port_ = static_cast<std::uint16_t>(std::atoi(line.c_str() + colon + 1));
        }
    }
    ~ServerProcess() {
        if (process_ > 0) {
            (void)end(SIGKILL);
        }
    }
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;
    ServerProcess(ServerProcess&&) = delete;
    ServerProcess& operator=(ServerProcess&&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }  ///< 0: it has ended at once
    [[nodiscard]] pid_t process() const noexcept { return process_; }
    /// Its exit code; 128 and the signal where that ended it.
    int end(int signal = SIGTERM) {
        if (signal > 0) {
            ::kill(process_, signal);
        }
        int status = 0;
        ::waitpid(process_, &status, 0);
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    int wait() { return end(0); }

  private:
    pid_t process_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace sluice::test
