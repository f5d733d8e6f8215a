# shellcheck shell=sh disable=SC2034,SC2154 # one program with its neighbours: variables are set in one piece and read in another
# Reading. Absence is what stat says of it: a test with -e is false as well where nothing may be seen.
look_at() {
  if told=$(stat -c %F -- "$1" 2>&1); then
    case $told in
      'regular file' | 'regular empty file') found='file' ;;
      directory) found=folder ;;
      'symbolic link') found='link' ;;
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
    absent) printf 'absent %s\n' "$(text "$1")" ;;
    file)
      { told=$(stat -c '%s %04a %.3Z' -) && content=$(head -c "$((limit + 1))" | base64 -w 0); } < "$1" ||
        refuse unreadable "$1"
      [ "${told%% *}" -le "$limit" ] || refuse large "$1"
      printf 'file %s %s %s\n' "$(text "$1")" "$told" "$content"
      ;;
    *) refuse special "$1 is a $found" ;;
  esac
}
list_folder() {
  folder=$1
  follow "$folder"
  case $found in
    absent) printf 'folder %s 0 \n' "$(text "$folder")"; return 0 ;;
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
  printf '\n'
}
hash_of() {
  sum=$(sha256sum < "$1") || refuse unreadable "$1"
  hash=sha256:${sum%% *}
}
