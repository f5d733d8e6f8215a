import { fileURLToPath } from 'node:url';

const STUB = fileURLToPath(new URL('./kubelet-stub.mjs', import.meta.url));
const SYSTEMCTL = fileURLToPath(new URL('../../../testbed/lab/nodes/systemctl', import.meta.url));

/**
 * Shell that puts the lab's systemctl in place of the node's, in the node's mount namespace only. The machine itself may have one or not:
 * the product's command is the same.
 */
export const INSTALL_SYSTEMCTL = `
mkdir -p "$folder/over/bin/upper" "$folder/over/bin/work"
mount -t overlay overlay -o "lowerdir=/usr/bin,upperdir=$folder/over/bin/upper,workdir=$folder/over/bin/work" /usr/bin
rm -f /usr/bin/systemctl
install -m 0755 ${SYSTEMCTL} /usr/bin/systemctl
`;

/** Shell that keeps a kubelet running with the flags of kubeadm's file, as the lab's nodes do. */
export const START_KUBELET = `
mkdir -p /var/lib/kubelet /run/kubelet.service
echo 'KUBELET_KUBEADM_ARGS="--cloud-provider=labcloud --node-ip=127.0.0.1"' >/var/lib/kubelet/kubeadm-flags.env
start_kubelet() {
  . /var/lib/kubelet/kubeadm-flags.env
  echo "$BASHPID" >/run/kubelet.service/pid.new
  mv /run/kubelet.service/pid.new /run/kubelet.service/pid
  exec -a /usr/bin/kubelet ${process.execPath} ${STUB} $KUBELET_KUBEADM_ARGS
}
keep_kubelet() {
  while :; do
    rm -f /run/kubelet.service/asked
    (start_kubelet) || true
    sleep 0.1
  done
}
keep_kubelet >/dev/null 2>&1 &
`;
