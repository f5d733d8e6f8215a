#!/bin/bash
# First process of a lab node, in its own namespaces (network, mount, UTS, IPC, PID, time): sets up the node's file
# system, then runs containerd, sshd and kubelet as systemd would, and restarts each on exit. When it dies the kernel
# kills everything in the node, which simulates the crash of a machine.
#
# Arguments: folder of the node in the lab's state, root of that state, hostname, folder of the Kubernetes programs,
# folder of image archives with one folder per version, version of the node.
set -euo pipefail
node=$1 state_root=$2 hostname=$3 programs=$4 images=$5 version=$6

hostname "$hostname"
cd /

# A node writes to its own layers; from the machine it only reads programs and their settings.
for place in etc var usr/bin; do
  mkdir -p "$node/layers/$place" "$node/work/$place"
  mount -t overlay overlay -o "lowerdir=/$place,upperdir=$node/layers/$place,workdir=$node/work/$place" "/$place"
done
# Before the mount over /tmp below: the checkout may be there.
install -m 0755 "$(dirname "$0")/systemctl" /usr/bin/systemctl
# Real folders, not layers: containerd mounts its own overlays on them, and inotify works as on a disk.
for place in /etc/kubernetes /var/lib/kubelet /var/lib/containerd /var/lib/etcd /var/log/pods /var/log/containers; do
  mkdir -p "$place" "$node/disk$place"
  mount --bind "$node/disk$place" "$place"
done
# The mode that kubeadm sets. The node has its own folder because the machine's may contain data.
chmod 0700 /var/lib/etcd
# The kubelet requires shared mount propagation for its folder, as on a machine with systemd.
mount --make-shared /var/lib/kubelet
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir -p /run/node /run/programs /run/images /run/sshd /run/lock /run/kubelet.service
mount --bind "$node" /run/node
mount --bind "$programs" /run/programs
mount --bind "$images" /run/images
# The node has its own home for root: the login scripts of this machine's administrator must not run on a node.
mkdir -p "$node/disk/root"
mount --bind "$node/disk/root" /root
# Each boot of a machine needs a new boot id; the kernel's is the same for all nodes.
mount --bind /run/node/boot-id /proc/sys/kernel/random/boot_id
# Hides the other nodes.
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
  # shellcheck disable=SC1091 # written by kubeadm; here by the lab and by anything that changes the kubelet's flags
  . /var/lib/kubelet/kubeadm-flags.env
  # shellcheck disable=SC2086 # a list of flags, split as systemd splits it
  exec /run/programs/kubelet --kubeconfig=/etc/kubernetes/kubelet.conf \
    --config=/var/lib/kubelet/config.yaml --v=2 $KUBELET_KUBEADM_ARGS
}

# Its unit, as the node's `systemctl` reports it: restarted one second after its exit, or on request.
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
# There is no registry, so only imported images can run. The node's own version comes first, so that it starts early.
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

# PID 1 also reaps orphaned processes.
wait
