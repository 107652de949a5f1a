#!/usr/bin/env bash
# One Kafka broker for tests and examples: KRaft mode, one node, loopback only, no containers.
#     scripts/kafka_broker.sh fetch               the broker's files into build/kafka (network and Maven, once)
#     scripts/kafka_broker.sh start FOLDER        starts a broker whose data is in FOLDER and prints its address; the second
#                                                 time with the same data and port. Its process: FOLDER/pid
#     scripts/kafka_broker.sh stop FOLDER         ends it and waits until it has ended
# Needs the packages of scripts/fleet_packages.txt. SLUICE_KAFKA=DIR: the broker's files are in DIR instead.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
version=4.3.0
files=${SLUICE_KAFKA:-$root/build/kafka}

need() {
    command -v "$1" >/dev/null || { echo "$1 is missing: apt-get install $2" >&2; exit 1; }
}

fetch() {
    [ -e "$files/complete-$version" ] && return
    need mvn maven
    mkdir -p "$files"
    cat >"$files/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice</groupId><artifactId>broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
    echo "fetching Kafka $version into $files" >&2
    rm -rf "$files/libs"
    (cd "$files" && mvn -q -B dependency:copy-dependencies -DoutputDirectory=libs -DincludeScope=runtime >fetch.log 2>&1) ||
        { cat "$files/fetch.log" >&2; echo "Kafka could not be fetched; the first time needs the network" >&2; exit 1; }
    touch "$files/complete-$version"
}

# java_kafka MEMORY CLASS ARGUMENTS...
java_kafka() {
    local memory=$1
    shift
    exec java -Xms"$memory" -Xmx"$memory" -XX:+UseSerialGC -Djava.awt.headless=true -cp "$files/libs/*" "$@"
}

free_ports() {
    python3 - <<'END'
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in sockets))
END
}

# configure FOLDER : settings and an empty log, the first time
configure() {
    local folder=$1 port controller
    [ -e "$folder/formatted" ] && return
    read -r port controller < <(free_ports)
    cat >"$folder/server.properties" <<PROPERTIES
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:$port,CONTROLLER://127.0.0.1:$controller
advertised.listeners=PLAINTEXT://127.0.0.1:$port
controller.quorum.bootstrap.servers=127.0.0.1:$controller
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=$folder/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
PROPERTIES
    (java_kafka 128m kafka.tools.StorageTool format --standalone -t "$({ printf S; head -c 15 /dev/urandom; } | base64 | tr '+/' '-_' | tr -d =)" \
        -c "$folder/server.properties") >"$folder/format.log" 2>&1 || { cat "$folder/format.log" >&2; exit 1; }
    echo "$port" >"$folder/port"
    touch "$folder/formatted"
}

start() {
    local folder port
    [ -e "$files/complete-$version" ] || { echo "the broker's files are missing: scripts/kafka_broker.sh fetch" >&2; exit 1; }
    need java openjdk-17-jre-headless
    mkdir -p "$1"
    folder=$(cd "$1" && pwd)
    configure "$folder"
    port=$(cat "$folder/port")
    (java_kafka 512m kafka.Kafka "$folder/server.properties") >>"$folder/broker.log" 2>&1 </dev/null &
    echo $! >"$folder/pid"
    disown
    for _ in $(seq 600); do
        kill -0 "$(cat "$folder/pid")" 2>/dev/null || { tail -n 20 "$folder/broker.log" >&2; echo "the broker ended at once" >&2; exit 1; }
        if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            echo "127.0.0.1:$port"
            return
        fi
        sleep 0.1
    done
    echo "the broker does not answer after 60 s: $folder/broker.log" >&2
    kill "$(cat "$folder/pid")" 2>/dev/null
    exit 1
}

stop() {
    local pid
    pid=$(cat "$1/pid")
    kill "$pid" 2>/dev/null || return 0
    for _ in $(seq 300); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
}

case ${1:-} in
    fetch) fetch ;;
    start) start "${2:?a folder for the data}" ;;
    stop) stop "${2:?the folder of the broker}" ;;
    *) sed -n '2,7s/^# \?//p' "$0" >&2; exit 2 ;;
esac
