#!/bin/sh
# Prints where the tests keep their vaults and repositories: in memory where there is room and
# programs may run, so that they wait for no disk. Nothing they show hangs on it, since they kill
# processes and not the machine. A TMPDIR that is set is kept.
memory=/dev/shm
enough_kib=6000000

has_room() {
  free=$(df -Pk "$memory" 2>/dev/null | awk 'NR == 2 { print $4 }')
  available=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
  [ "${free:-0}" -gt "$enough_kib" ] && [ "${available:-0}" -gt "$enough_kib" ]
}

runs_programs() {
  probe="$memory/runs-programs-$$"
  printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe" && "$probe"
  outcome=$?
  rm -f "$probe"
  return $outcome
}

if [ -n "$TMPDIR" ]; then
  echo "$TMPDIR"
elif has_room && runs_programs 2>/dev/null; then
  echo "$memory"
else
  echo /tmp
fi
