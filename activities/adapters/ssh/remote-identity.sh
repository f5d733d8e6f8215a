# shellcheck shell=sh disable=SC2034,SC2154 # one program with its neighbours: variables are set in one piece and read in another
# Checks which cluster a node belongs to, in POSIX shell. A request names a cluster by the UID of its namespace kube-system
# and the SHA-256 of its authorities' certificates; the node compares these with the authority that kubeadm gave it and with
# what an earlier write stored next to the epoch. The file is `UID SHA256…`, one line without its end. Location of the
# authority: kubernetes/kubernetes cmd/kubeadm/app/constants/constants.go (CACertName), on workers too.
common_of() {
  common=
  for one in $1; do
    case " $2 " in
      *" $one "*) common="$common${common:+ }$one" ;;
    esac
  done
}
own_authorities() {
  authorities=
  body=
  told=$(head -c 65536 -- /etc/kubernetes/pki/ca.crt 2>/dev/null) || return 0
  while IFS= read -r line; do
    case $line in
      '-----BEGIN CERTIFICATE-----'*) body= ;;
      '-----END CERTIFICATE-----'*)
        sum=$(printf %s "$body" | base64 -d -i 2>/dev/null | sha256sum)
        authorities="$authorities${authorities:+ }${sum%% *}"
        ;;
      *) body=$body$line ;;
    esac
  done <<CERTIFICATES
$told
CERTIFICATES
}
same_cluster() {
  look_at "$state/cluster"
  case $found in
    absent) kept=; return 0 ;;
    file) kept=$(head -c 4096 -- "$state/cluster") ;;
    *) kept="a $found" ;;
  esac
  common_of "$expected" "${kept#* }"
  { [ "${kept%% *}" = "$cluster" ] && [ -n "$common" ]; } || refuse cluster "$kept"
}
keep_cluster() {
  [ "$kept" = "$cluster $shared" ] || put_file "$state/cluster" "$(text "$cluster $shared")"
}
belongs_to() {
  cluster=$1
  expected=$2
  own_authorities
  common_of "$authorities" "$expected"
  shared=$common
  [ -n "$shared" ] || refuse authority "$authorities"
  same_cluster
}
