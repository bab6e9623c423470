#!/bin/sh
# Runs a command with a separate temporary directory, which is removed with all that is left in
# it: in memory where there is room and programs may run, so that tests wait for no disk. Nothing
# they show hangs on it, since they kill processes and not the machine. A TMPDIR that is set is the
# place of that directory.
memory=/dev/shm
enough_kib=6000000

has_room() {
  free=$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
  available=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
  [ "${free:-0}" -gt "$enough_kib" ] && [ "${available:-0}" -gt "$enough_kib" ]
}

runs_programs() {
  probe=$(mktemp "$memory/probe.XXXXXX") || return
  printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe" && "$probe"
  outcome=$?
  rm -f "$probe"
  return $outcome
}

place=${TMPDIR:-/tmp}
if [ -z "$TMPDIR" ] && has_room && runs_programs 2>/dev/null; then place=$memory; fi
TMPDIR=$(mktemp -d "$place/tests.XXXXXX") || exit
export TMPDIR
# Others may look into it, as they may into /tmp: some tests run programs as another user.
chmod 1777 "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
"$@"
