import { yamlText } from '../../domain/yaml/yaml-edit.js';
import { WORKER_USER, type WorkerRole } from '../../domain/access/worker-role.js';
import { managerAccess, workerRolesOn } from '../authority/worker-roles.js';
import { type Cli, isText, printDocument } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { chosenCluster } from '../plan/make-plan.js';

/** `access role`: what the user in the kubeconfig of workers may do on a cluster, for `kubectl apply`. */
export async function accessRole(cli: Cli): Promise<ExitStatus> {
  const { cluster, fleet } = await chosenCluster(cli);
  const roles = workerRolesOn(cluster, fleet, cli.options.text('user') ?? WORKER_USER);
  print(cli, cluster.name, {
    objects: roles.flatMap(({ role, binding }) => [role, binding]),
    documents: roles.flatMap((one) => [roleText(one), yamlText(one.binding)]),
  });
  return 'reached';
}

/** `access grants`: the access of KCM and CCM that a policy with `clusterAccess: provided` expects, for `kubectl apply`. */
export async function accessGrants(cli: Cli): Promise<ExitStatus> {
  const { cluster, fleet } = await chosenCluster(cli);
  const objects = managerAccess(fleet);
  print(cli, cluster.name, { objects, documents: objects.map(yamlText) });
  return 'reached';
}

interface Printed {
  readonly objects: readonly object[];
  /** The same as YAML, for people. */
  readonly documents: readonly string[];
}

function print(cli: Cli, cluster: string, { objects, documents }: Printed): void {
  if (isText(cli)) cli.terminal.out(documents.join('---\n'));
  else printDocument(cli, 'AccessObjects', { cluster, objects });
}

/** Each rule below a comment that says what it is for: those who apply it are asked to grant it. */
function roleText({ role: { rules, ...head }, whys }: WorkerRole): string {
  const written = rules.map((rule, index) => {
    const [first = '', ...rest] = yamlText([rule]).trimEnd().split('\n');
    const lines = [`# ${whys[index] ?? ''}`, first, ...rest];
    return lines.map((line) => `  ${line}\n`).join('');
  });
  return `${yamlText(head)}rules:\n${written.join('')}`;
}
