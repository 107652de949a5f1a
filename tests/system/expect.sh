# Sourced by tests of the tool, which set $sluice: what is wrong is counted in $failures.
failures=0

fail() { echo "FAILED: $*" >&2; failures=$((failures + 1)); }
# expect CODE WORDS... : runs `sluice WORDS`, keeps out and err, wants that exit code
expect() {
    local code=$1
    shift
    "$sluice" "$@" >out 2>err </dev/null
    local got=$?
    [ "$got" -eq "$code" ] || { fail "sluice $*: exit code $got, not $code"; cat err >&2; }
}
has() { grep -qF -- "$2" "$1" || { fail "$1 does not say: $2"; cat "$1" >&2; }; }
lacks() { ! grep -qF -- "$2" "$1" || fail "$1 says: $2"; }
