/**
 * POSIX shell that a node runs for us; it needs coreutils and util-linux' `flock`. Paths and contents come as quoted
 * words (`quotedWord`) and are used as data only. Answers: docs/node-access-ssh.md.
 * A refusal says what is wrong and that nothing was changed, but for kind `unsure`.
 */
export const COMMON_PROGRAM = `
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
finish() { printf 'end %s\\n' "$token"; exit 0; }
tidy() {
  [ -z "$temporary" ] || rm -f -- "$temporary"
  [ -z "$hidden" ] || rmdir -- "$hidden"
  temporary=
  hidden=
}
refuse() {
  tidy
  printf 'refused %s %s\\n' "$1" "$(text "$2")"
  finish
}
attempt() {
  kind_of_failure=$1
  shift
  problem=$("$@" 2>&1 >/dev/null) || refuse "$kind_of_failure" "$problem"
}
begin() {
  printf 'begin %s\\n' "$token"
  for tool in base64 chmod chown date head id mkdir mktemp mv readlink rm rmdir sha256sum sleep stat sync tr uname flock; do
    command -v "$tool" >/dev/null || refuse tool "$tool"
  done
  [ "$(id -u)" = 0 ] || refuse root "$(id -un)"
}
`;

/** Reading. Absence is decided by stat: a test with -e is also false where permission is missing. */
const READ_PROGRAM = `
look_at() {
  if told=$(stat -c %F -- "$1" 2>&1); then
    case $told in
      'regular file' | 'regular empty file') found=file ;;
      directory) found=folder ;;
      'symbolic link') found=link ;;
      *) found=$told ;;
    esac
  else
    case $told in
      *': No such file or directory') found=absent ;;
      *) refuse unreadable "$told" ;;
    esac
  fi
}
follow() {
  look_at "$1"
  [ "$found" != link ] || {
    target=$(readlink -f -- "$1") || refuse special "$1 is a symbolic link to nothing"
    look_at "$target"
    [ "$found" != absent ] || refuse special "$1 is a symbolic link to nothing"
  }
}
read_file() {
  follow "$1"
  case $found in
    absent) printf 'absent %s\\n' "$(text "$1")" ;;
    file)
      { told=$(stat -c '%s %04a %.3Z' -) && content=$(head -c "$((limit + 1))" | base64 -w 0); } < "$1" ||
        refuse unreadable "$1"
      [ "\${told%% *}" -le "$limit" ] || refuse large "$1"
      printf 'file %s %s %s\\n' "$(text "$1")" "$told" "$content"
      ;;
    *) refuse special "$1 is a $found" ;;
  esac
}
list_folder() {
  folder=$1
  follow "$folder"
  case $found in
    absent) printf 'folder %s 0 \\n' "$(text "$folder")"; return 0 ;;
    folder) ;;
    *) refuse special "$folder is a $found" ;;
  esac
  { [ -r "$folder/." ] && [ -x "$folder/." ]; } || refuse unreadable "$folder"
  set --
  for one in "$folder"/* "$folder"/.[!.]* "$folder"/..?*; do
    [ ! -f "$one" ] || set -- "$@" "$one"
    [ $# -le 1000 ] || refuse large "$folder"
  done
  printf 'folder %s %s ' "$(text "$folder")" "$#"
  [ $# = 0 ] || sha256sum --zero -- "$@" 2>/dev/null | base64 -w 0
  printf '\\n'
}
hash_of() {
  sum=$(sha256sum < "$1") || refuse unreadable "$1"
  hash=sha256:\${sum%% *}
}
`;

/** Writing: under one lock with cluster and epoch; the temporary file on the same mount and never where a kubelet looks. */
const WRITE_PROGRAM = `
make_folder() {
  [ ! -d "\${1:-/}" ] || return 0
  make_folder "\${1%/*}"
  # Not under the lock, whose own folder this may be: another one may make it at the same moment.
  attempt unwritable mkdir -p -- "$1"
  attempt unwritable sync -- "\${1%/*}/"
}
under_lock() {
  make_folder "$state"
  {
    flock -w 5 9 || refuse busy "$state/lock"
    "$@"
    finish
  } 9>> "$state/lock"
  refuse unwritable "$state/lock"
}
admit() {
  same_cluster
  look_at "$state/epoch"
  seen=0
  case $found in
    absent) ;;
    file) seen=$(head -c 40 -- "$state/epoch") ;;
    *) refuse epoch "$state/epoch is a $found" ;;
  esac
  case $seen in
    '' | *[!0-9]* | ?????????????????*) refuse epoch "$state/epoch holds no epoch" ;;
  esac
  [ "$1" -ge "$seen" ] || { printf 'stale %s\\n' "$seen"; finish; }
  keep_cluster
  [ "$1" -eq "$seen" ] || put_file "$state/epoch" "$(text "$1")"
}
expect() {
  look_at "$1"
  case $found in
    absent) present=absent ;;
    file) hash_of "$1"; present=$hash ;;
    *) refuse special "$1 is a $found" ;;
  esac
  [ "$present" = "$2" ] || { printf 'edited %s\\n' "$present"; finish; }
}
mount_of() {
  mount=
  {
    while read -r key value; do
      [ "$key" != mnt_id: ] || mount=$value
    done < /proc/self/fdinfo/7
  } 7< "$1"
  mount="$mount $(stat -c %d -- "$1")"
}
choose_place() {
  above=\${1%/*}
  above=\${above:-/}
  mount_of "\${1:-/}"
  inside=$mount
  mount_of "$above"
  if [ "$inside" = "$mount" ] && [ -n "$1" ]; then
    place=$above
  else
    place=$1/.ccm-migrate
    [ -d "$place" ] || attempt unwritable mkdir -- "$place"
    hidden=$place
  fi
}
decode() { printf %s "$1" | base64 -d > "$temporary"; }
put_file() {
  folder=\${1%/*}
  make_folder "$folder"
  choose_place "$folder"
  rm -f -- "$place"/.ccm-migrate-??????????
  temporary=$(mktemp -- "$place/.ccm-migrate-XXXXXXXXXX" 2>&1) || {
    problem=$temporary
    temporary=
    refuse unwritable "$problem"
  }
  problem=$(decode "$2" 2>&1) || refuse unwritable "$place: $problem"
  if [ -f "$1" ]; then
    attempt unwritable chown --reference="$1" -- "$temporary"
    attempt unwritable chmod --reference="$1" -- "$temporary"
    [ ! -e /sys/fs/selinux/enforce ] || attempt unwritable chcon --reference="$1" -- "$temporary"
  fi
  attempt unwritable sync -- "$temporary"
  if [ -n "\${3:-}" ]; then
    hash_of "$temporary"
    [ "$hash" = "$3" ] || refuse garbled "$1"
  fi
  attempt unsure mv -f -T -- "$temporary" "$1"
  temporary=
  tidy
  attempt unsure sync -- "$folder/"
}
write_now() {
  admit "$3"
  expect "$1" "$2"
  put_file "$1" "$5" "$4"
  printf 'written %s\\n' "$4"
}
write_file() { under_lock write_now "$@"; }
remove_now() {
  admit "$3"
  expect "$1" "$2"
  if [ "$present" != absent ]; then
    attempt unsure rm -f -- "$1"
    attempt unsure sync -- "\${1%/*}/"
  fi
  printf 'removed\\n'
}
remove_file() { under_lock remove_now "$@"; }
`;

export const FILES_PROGRAM = READ_PROGRAM + WRITE_PROGRAM;
