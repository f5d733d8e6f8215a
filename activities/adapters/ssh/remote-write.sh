# shellcheck shell=sh disable=SC2034,SC2154 # one program with its neighbours: variables are set in one piece and read in another
# Writing: under one lock with cluster and epoch; the temporary file on the same mount and never where a kubelet looks.
make_folder() {
  [ ! -d "${1:-/}" ] || return 0
  make_folder "${1%/*}"
  # Not under the lock, whose own folder this may be: another one may make it at the same moment.
  attempt unwritable mkdir -p -- "$1"
  attempt unwritable sync -- "${1%/*}/"
}
under_lock() {
  make_folder "$state"
  # shellcheck disable=SC2094 # a refusal names the lock and does not read it
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
  [ "$1" -ge "$seen" ] || { printf 'stale %s\n' "$seen"; finish; }
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
  [ "$present" = "$2" ] || { printf 'edited %s\n' "$present"; finish; }
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
  above=${1%/*}
  above=${above:-/}
  mount_of "${1:-/}"
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
  folder=${1%/*}
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
  else
    attempt unwritable chmod "${4:-0600}" -- "$temporary"
  fi
  attempt unwritable sync -- "$temporary"
  if [ -n "${3:-}" ]; then
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
  put_file "$1" "$5" "$4" "$6"
  printf 'written %s\n' "$4"
}
write_file() { under_lock write_now "$@"; }
remove_now() {
  admit "$3"
  expect "$1" "$2"
  if [ "$present" != absent ]; then
    attempt unsure rm -f -- "$1"
    attempt unsure sync -- "${1%/*}/"
  fi
  printf 'removed\n'
}
remove_file() { under_lock remove_now "$@"; }
