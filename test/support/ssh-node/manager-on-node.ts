import { MANAGER_STUB, MANAGER_TOKEN } from './start-ssh-node.js';

/** Shell that starts a manager on a node: the stub's program under the manager's name. */
export function startManager(name = 'kube-controller-manager', more = ''): string {
  const words = [
    '--secure-port=$manager_port --tls="$folder/tls.pem" --client-ca="$folder/client-ca.pem"',
    `--token=${MANAGER_TOKEN} --seen=yes --leader-elect=true ${more}`,
  ].join(' ');
  return `(exec -a /usr/local/bin/${name} ${process.execPath} ${MANAGER_STUB} ${words} >"$folder/manager.log") &`;
}
