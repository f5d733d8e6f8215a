# shellcheck shell=sh disable=SC2034,SC2154 # one program with its neighbours: variables are set in one piece and read in another
# The kubelet as a service, in POSIX shell. `systemctl` is looked for on the PATH that remote-common.sh sets, folders
# that only root writes to, and never on the login's. A restart holds the same lock as writes. Properties and their
# form: systemctl(1) `show`, org.freedesktop.systemd1(5).
provider_of() {
  provider=
  take=
  told=$(tr '\0' '\n' < "/proc/$1/cmdline" 2>/dev/null)
  while IFS= read -r word; do
    if [ -n "$take" ]; then
      provider=$word
      take=
      continue
    fi
    case $word in
      --cloud-provider=*) provider=${word#*=} ;;
      --cloud-provider) take=yes ;;
    esac
  done <<WORDS
$told
WORDS
}
runs_with() {
  candidates
  running=no
  for pid in $pids; do
    is_kubelet "$pid" || continue
    provider_of "$pid"
    [ "$provider" = "$1" ] || return 1
    running=yes
  done
  [ "$running" = yes ]
}
ask_unit() {
  command -v systemctl >/dev/null || refuse service 'it has no systemctl'
  properties=LoadState,ActiveState,SubState,Result,EnvironmentFiles
  unit=$(timeout -k 2 10 systemctl --no-pager show kubelet.service --property="$properties" 2>&1) ||
    refuse service "$unit"
  case $unit in
    *LoadState=loaded*) ;;
    *) refuse unit "$unit" ;;
  esac
}
look_unit() {
  ask_unit
  printf 'unit %s\n' "$(text "$unit")"
}
restart_now() {
  admit "$4"
  expect "$2" "$3"
  if runs_with "$1"; then
    printf 'kubelet runsSo\n'
    return 0
  fi
  ask_unit
  case $unit in
    *"EnvironmentFiles=$2 ("*) ;;
    *) refuse unit "its environment does not come from $2" ;;
  esac
  # The lock is ours alone: a service must not inherit it.
  problem=$(timeout -k 5 20 systemctl --no-ask-password --no-pager restart kubelet.service 2>&1 9>&-) ||
    refuse unsure "systemctl restart kubelet ended with $?: $problem"
  printf 'kubelet restarted\n'
}
restart_kubelet() { under_lock restart_now "$@"; }
