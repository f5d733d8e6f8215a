# shellcheck shell=sh disable=SC2034,SC2154 # one program with its neighbours: variables are set in one piece and read in another
# Reads the host's process table, in POSIX shell. One pass over /proc without a new process for each entry: the shell's
# `read` drops NULs, which is good enough to find candidates; only these are then inspected. Source of the fields: proc(5),
# /proc/PID/stat and /proc/net/tcp.
name_manager() {
  case ${1##*/} in
    kube-controller-manager) manager=kcm ;;
    cloud-controller-manager | *-cloud-controller-manager) manager=ccm ;;
  esac
}
manager_of() {
  manager=
  name_manager "$(head -c 4096 -- "/proc/$1/cmdline" 2>/dev/null | tr '\0' '\n' | head -n 1)"
  [ -z "$manager" ] || return 0
  name=$(readlink -- "/proc/$1/exe" 2>/dev/null) || return 0
  name_manager "${name%' (deleted)'}"
}
is_kubelet() {
  name=$(head -c 4096 -- "/proc/$1/cmdline" 2>/dev/null | tr '\0' '\n' | head -n 1)
  if [ "${name##*/}" != kubelet ]; then
    name=$(readlink -- "/proc/$1/exe" 2>/dev/null) || return 1
    name=${name%' (deleted)'}
    [ "${name##*/}" = kubelet ] || return 1
  fi
  # A cluster inside a container has kubelets of its own; their process ids are in another namespace.
  [ "$(readlink -- "/proc/$1/ns/pid" 2>/dev/null)" = "$(readlink -- /proc/1/ns/pid)" ]
}
stat_of() {
  state_letter=
  parent=
  ticks=
  line=$(head -c 4096 -- "/proc/$1/stat" 2>/dev/null) || return 0
  set -f
  # shellcheck disable=SC2086 # split into its fields
  set -- ${line##*') '}
  set +f
  [ $# -ge 20 ] || return 0
  state_letter=$1
  parent=$2
  shift 19
  ticks=$1
}
candidates() {
  pids=' '
  for entry in /proc/[0-9]*; do
    words=
    { read -r words < "$entry/cmdline"; } 2>/dev/null
    case $words in
      *-controller-manager* | kubelet* | */kubelet*) pids="$pids${entry#/proc/} " ;;
    esac
  done
  programs=$(stat -c '%n %N' /proc/[0-9]*/exe 2>/dev/null)
  while read -r entry program; do
    pid=${entry#/proc/}
    pid=${pid%/exe}
    case $program in
      *-controller-manager\' | *"-controller-manager (deleted)'" | */kubelet\' | *"/kubelet (deleted)'")
        case $pids in
          *" $pid "*) ;;
          *) pids="$pids$pid " ;;
        esac
        ;;
    esac
  done <<PROGRAMS
$programs
PROGRAMS
}
look_processes() {
  candidates
  for pid in $pids; do
    stat_of "$pid"
    began=$ticks
    manager_of "$pid"
    [ -n "$manager" ] || ! is_kubelet "$pid" || manager=kubelet
    [ -n "$manager" ] || continue
    words=$(head -c 131072 -- "/proc/$pid/cmdline" 2>/dev/null | base64 -w 0)
    stat_of "$pid"
    { [ -n "$ticks" ] && [ "$ticks" = "$began" ]; } || continue
    if [ "$manager" = kubelet ]; then
      printf 'kubelet %s %s %s %s\n' "$pid" "$parent" "$ticks" "$words"
    else
      printf 'process %s %s %s %s %s\n' "$pid" "$manager" "$state_letter" "$ticks" "$words"
    fi
  done
}
look_listeners() {
  for table in tcp tcp6; do
    [ -r "/proc/net/$table" ] || continue
    {
      read -r line
      while read -r slot here there mode queues timers retries user rest; do
        # Listening sockets come first in these tables, and the rest can be very long.
        [ "$mode" = 0A ] || break
        printf 'listener %s %s\n' "$here" "$user"
      done
    } < "/proc/net/$table"
  done
}
kernel_shift() {
  shift_seconds=0
  [ -r /proc/self/timens_offsets ] || return 0
  while read -r clock seconds rest; do
    case $clock in
      boottime | 7) shift_seconds=$seconds ;;
    esac
  done < /proc/self/timens_offsets
}
look_host() {
  read -r boot < /proc/sys/kernel/random/boot_id || refuse unreadable /proc
  stat_of 1
  [ -n "$ticks" ] || refuse unreadable /proc/1/stat
  first=$ticks
  kernel_shift
  born=$((first - shift_seconds * 100))
  look_processes
  look_listeners
  now=$(date +%s%N)
  read -r uptime rest < /proc/uptime
  printf 'host %s %s %s %s %s %s\n' "$(text "$(uname -n)")" "$boot" "$born" "$first" "$now" "$uptime"
}
await_end() {
  round=0
  while [ "$round" -lt 60 ]; do
    stat_of "$1"
    [ "$ticks" = "$2" ] || return 0
    case $state_letter in
      Z | X) return 0 ;;
    esac
    sleep 0.05
    round=$((round + 1))
  done
  refuse unsure "process $1 was sent SIGKILL and is still there"
}
end_now() {
  admit "$3"
  manager_of "$1"
  # Right before the signal: the id may belong to another process by now, and one that runs again is not ended.
  stat_of "$1"
  [ -n "$ticks" ] || [ ! -e "/proc/$1" ] || refuse unreadable "/proc/$1/stat"
  [ "$ticks" = "$2" ] || state_letter=X
  case $state_letter in
    Z | X) ;;
    T)
      [ -n "$manager" ] || refuse awake "process $1 is no manager"
      problem=$(kill -s KILL "$1" 2>&1) || [ ! -e "/proc/$1" ] || refuse unwritable "$problem"
      await_end "$1" "$2"
      ;;
    t) refuse traced "$1" ;;
    *) refuse awake "process $1 runs (state $state_letter)" ;;
  esac
  printf 'ended\n'
}
end_process() { under_lock end_now "$@"; }
