import type { ClusterInventory } from '../kinds/cluster-inventory.js';
import type { SshAccessSettings } from '../kinds/ssh-access.js';
import type { ConfigProblem } from '../problems.js';
import type { ValidDocument } from '../validated-documents.js';
import { problemAt } from '../validated-documents.js';

interface Complaint {
  readonly member: string;
  readonly message: string;
}

/** Rules of node access over SSH that no schema can express: exactly one login, and no host without a known key. */
export function sshProblems(
  inventories: readonly ValidDocument<ClusterInventory>[],
): readonly ConfigProblem[] {
  return inventories.flatMap(({ file, content, source }) =>
    content.spec.clusters.flatMap(({ nodeAccess }, index) =>
      nodeAccess.kind !== 'ssh'
        ? []
        : complaintsOf(nodeAccess).map(({ member, message }) =>
            problemAt(file, source, {
              path: ['spec', 'clusters', index, 'nodeAccess', member],
              about: 'value',
              message,
              code: 'CCM5017',
            }),
          ),
    ),
  );
}

function complaintsOf(access: SshAccessSettings): readonly Complaint[] {
  return [...loginComplaints(access), ...hostKeyComplaints(access)];
}

function loginComplaints({ identityFile, agent }: SshAccessSettings): readonly Complaint[] {
  if (identityFile === undefined && agent === undefined) {
    return [{ member: 'identityFile', message: 'required, and missing (this, or agent)' }];
  }
  if (identityFile === undefined || agent === undefined) return [];
  return [{ member: 'agent', message: 'set together with identityFile: use only one of them' }];
}

function hostKeyComplaints({ knownHosts, hosts }: SshAccessSettings): readonly Complaint[] {
  if (knownHosts !== undefined) return [];
  const entries = Object.entries(hosts);
  if (entries.length === 0) {
    return [
      {
        member: 'knownHosts',
        message: 'required: no host key is known (set this, or hosts.NODE.hostKeys for each node)',
      },
    ];
  }
  return entries
    .filter(([, { hostKeys }]) => hostKeys === undefined)
    .map(([node]) => ({
      member: 'hosts',
      message: `${node} has no hostKeys, and there is no knownHosts: its host key is unknown`,
    }));
}
