# shellcheck shell=sh disable=SC2034,SC2154 # one program with its neighbours: variables are set in one piece and read in another
# POSIX shell that a node runs for us, with the pieces beside it (remote-request.ts); it needs coreutils and util-linux'
# `flock`. Paths and contents come as quoted words and are used as data only. Answers: docs/node-access-ssh.md.
# A refusal says what is wrong and that nothing was changed, but for kind `unsure`.
set -u
LC_ALL=C
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL PATH
umask 077
state=/var/lib/ccm-migrate
limit=1048576
temporary=
hidden=
text() { printf %s "$1" | base64 -w 0; }
finish() { printf 'end %s\n' "$token"; exit 0; }
tidy() {
  [ -z "$temporary" ] || rm -f -- "$temporary"
  [ -z "$hidden" ] || rmdir -- "$hidden"
  temporary=
  hidden=
}
refuse() {
  tidy
  printf 'refused %s %s\n' "$1" "$(text "$2")"
  finish
}
attempt() {
  kind_of_failure=$1
  shift
  problem=$("$@" 2>&1 >/dev/null) || refuse "$kind_of_failure" "$problem"
}
begin() {
  # On a line of its own, also where a login script ended in the middle of one.
  printf '\nbegin %s\n' "$token"
  for tool in base64 chmod chown date head id mkdir mktemp mv readlink rm rmdir sha256sum sleep stat sync tr uname flock; do
    command -v "$tool" >/dev/null || refuse tool "$tool"
  done
  [ "$(id -u)" = 0 ] || refuse root "$(id -un)"
}
