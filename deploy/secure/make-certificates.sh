#!/bin/sh
# Certificates for docker-compose.secure.yml, by an authority of their own:
#   sh deploy/secure/make-certificates.sh FOLDER [NAME…]
# Makes what is missing: ca.crt and ca.key, `temporal` and `postgres` for the servers, and one for each client:
# `worker`, `admin`, `ui` and every further NAME (a person, another worker). Each is a NAME.crt with its NAME.key.
# Keep ca.key elsewhere when you are done: who has it can make a client. An authority you have serves as well.
set -eu
folder=${1:?folder for the certificates}
shift
days=397
umask 077
mkdir -p "$folder"
cd "$folder"

new_key() { openssl ecparam -genkey -name prime256v1 -noout -out "$1.key"; }

if [ ! -e ca.crt ]; then
  new_key ca
  openssl req -x509 -new -key ca.key -sha256 -days 3650 -subj /CN=ccm-migrate -out ca.crt \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
fi

# make NAME SUBJECT_ALT_NAMES EXTENDED_KEY_USAGE
make() {
  [ -e "$1.crt" ] && return
  new_key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  printf 'subjectAltName=%s\nbasicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=%s\n' \
    "$2" "$3" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -sha256 -days "$days" -extfile "$1.ext" \
    -out "$1.crt"
  rm "$1.csr" "$1.ext"
}

# The services of the Temporal server are clients of each other.
make temporal DNS:temporal,DNS:localhost,IP:127.0.0.1 serverAuth,clientAuth
make postgres DNS:postgres,DNS:localhost,IP:127.0.0.1 serverAuth
for name in worker admin ui "$@"; do
  make "$name" "DNS:$name" clientAuth
done
