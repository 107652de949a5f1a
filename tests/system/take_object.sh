#!/usr/bin/env bash
# A compiler launcher for a second copy of a tree that was just built: copies the object from the first build instead of
# compiling it again. Where the first build has no such object, it is compiled.
# usage: SLUICE_FIRST_BUILD=DIR take_object.sh COMPILER ARGUMENTS...
set -euo pipefail
object= depfile=
for ((i = 1; i < $#; ++i)); do
    next=$((i + 1))
    case ${!i} in
        -o) object=${!next} ;;
        -MF) depfile=${!next} ;;
    esac
done
if [ -n "$object" ] && [ -e "$SLUICE_FIRST_BUILD/$object" ]; then
    cp "$SLUICE_FIRST_BUILD/$object" "$object"
    [ -z "$depfile" ] || echo "$object:" >"$depfile"
else
    exec "$@"
fi
