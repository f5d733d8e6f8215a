#!/bin/bash
# First process of a node of its own: mount, PID and UTS namespace; init.sh FOLDER HOSTNAME. Nothing outside FOLDER is written.
set -eu
folder=$1
hostname "$2"
mount -t tmpfs tmpfs "$folder/over"
for place in etc var/lib; do
  mkdir -p "$folder/over/$place/upper" "$folder/over/$place/work"
  mount -t overlay overlay -o "lowerdir=/$place,upperdir=$folder/over/$place/upper,workdir=$folder/over/$place/work" "/$place"
done
mount -t tmpfs tmpfs /run
mkdir -p /run/sshd /run/home /etc/kubernetes/manifests /etc/kubernetes/pki /etc/sudoers.d
cp "$folder/client-ca.pem" /etc/kubernetes/pki/ca.crt
printf 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: kube-controller-manager\n' >/etc/kubernetes/manifests/kube-controller-manager.yaml
chmod 0640 /etc/kubernetes/manifests/kube-controller-manager.yaml
# Shells that sshd starts read what lies in the home folder: a person's settings of this machine are none of a node's.
sed -i 's|^\(root:.*\):/root:|\1:/run/home:|' /etc/passwd
echo 'operator:x:4242:4242::/:/bin/sh' >>/etc/passwd
echo 'operator:*:19000:0:99999:7:::' >>/etc/shadow
echo 'sudoer:x:4243:4243::/:/bin/sh' >>/etc/passwd
echo 'sudoer:*:19000:0:99999:7:::' >>/etc/shadow
echo 'sudoer ALL=(root) NOPASSWD: /bin/sh' >/etc/sudoers.d/ccm-migrate
[ ! -x "$folder/prepare.sh" ] || "$folder/prepare.sh"
/usr/sbin/sshd -D -e -f "$folder/sshd_config" 2>"$folder/sshd.log" &
# shellcheck disable=SC1091 # written by the test that starts this node
[ ! -x "$folder/start.sh" ] || . "$folder/start.sh"
touch "$folder/ready"
while true; do wait; sleep 0.2; done
