#!/bin/bash
# First process of a lab node, in namespaces of its own (network, mount, UTS, IPC, PID, time): makes the node's file
# system, then runs containerd, sshd and kubelet as systemd would, each again when it ends. When it dies the kernel
# kills everything in the node, which is how a machine crashes.
#
# Arguments: folder of the node in the lab's state, root of that state, hostname, folder of the Kubernetes programs,
# folder of image archives with one folder a version, version of the node.
set -euo pipefail
node=$1 state_root=$2 hostname=$3 programs=$4 images=$5 version=$6

hostname "$hostname"
cd /

# What a node writes stays in its own layers; what it reads of the machine are programs and their settings.
for place in etc var usr/bin; do
  mkdir -p "$node/layers/$place" "$node/work/$place"
  mount -t overlay overlay -o "lowerdir=/$place,upperdir=$node/layers/$place,workdir=$node/work/$place" "/$place"
done
# Before /tmp is covered: the checkout may be there.
install -m 0755 "$(dirname "$0")/systemctl" /usr/bin/systemctl
# Real folders, not layers: containerd puts overlays of its own on them, and inotify works as on a disk.
for place in /etc/kubernetes /var/lib/kubelet /var/lib/containerd /var/lib/etcd /var/log/pods /var/log/containers; do
  mkdir -p "$place" "$node/disk$place"
  mount --bind "$node/disk$place" "$place"
done
# As kubeadm makes it; and the machine's own may have somebody's data in it.
chmod 0700 /var/lib/etcd
# The kubelet wants its folder shared, as it is on a machine with systemd.
mount --make-shared /var/lib/kubelet
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir -p /run/node /run/programs /run/images /run/sshd /run/lock /run/kubelet.service
mount --bind "$node" /run/node
mount --bind "$programs" /run/programs
mount --bind "$images" /run/images
# Root's home is the node's own: what an administrator's login runs on this machine has no business on a node.
mkdir -p "$node/disk/root"
mount --bind "$node/disk/root" /root
# A machine that starts anew has a new boot id; the kernel's is the same for all nodes.
mount --bind /run/node/boot-id /proc/sys/kernel/random/boot_id
# Nothing of the other nodes is to be seen.
mount -t tmpfs -o size=4k,mode=0700 tmpfs "$state_root"

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
log=/run/node/log

keep_running() {
  local name=$1
  shift
  while :; do
    "$@" >>"$log/$name.log" 2>&1 </dev/null || true
    sleep 0.5
  done
}

run_kubelet() {
  local KUBELET_KUBEADM_ARGS=''
  # shellcheck disable=SC1091 -- written by kubeadm, here by the lab and by whoever changes a kubelet's flags
  . /var/lib/kubelet/kubeadm-flags.env
  # shellcheck disable=SC2086 -- a list of flags, split as systemd splits it
  exec /run/programs/kubelet --kubeconfig=/etc/kubernetes/kubelet.conf \
    --config=/var/lib/kubelet/config.yaml --v=2 $KUBELET_KUBEADM_ARGS
}

# Its unit, as `systemctl` of the node tells of it: started anew a second after it ended, or when somebody asks for it.
start_kubelet() {
  echo "$BASHPID" >/run/kubelet.service/pid.new
  mv /run/kubelet.service/pid.new /run/kubelet.service/pid
  run_kubelet
}

keep_kubelet() {
  local tenth
  while :; do
    rm -f /run/kubelet.service/asked
    (start_kubelet) >>"$log/kubelet.log" 2>&1 </dev/null || true
    for ((tenth = 0; tenth < 10; tenth += 1)); do
      if [[ -e /run/kubelet.service/asked ]]; then break; fi
      sleep 0.1
    done
  done
}

keep_running containerd containerd --config /etc/containerd/config.toml &
keep_running sshd /usr/sbin/sshd -D -e -f /run/node/ssh/sshd_config &

until ctr version >/dev/null 2>&1; do sleep 0.1; done
# There is no registry: what is not imported cannot be run. The node's own version first, so that it starts soon.
import_images() {
  local archive
  for archive in "$1"/*.tar; do
    ctr --namespace k8s.io images import "$archive" >>"$log/images.log" 2>&1
  done
}
if [[ ! -e /run/node/images-are-there ]]; then import_images "/run/images/$version"; fi
keep_kubelet &
if [[ ! -e /run/node/images-are-there ]]; then
  for folder in /run/images/*; do
    if [[ $folder != "/run/images/$version" ]]; then import_images "$folder"; fi
  done
  touch /run/node/images-are-there
fi

# PID 1 also reaps what nobody else waits for.
wait
