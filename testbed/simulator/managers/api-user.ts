import type { ApiRequester } from '../../base/auth/requester.js';
import { listAt, textAt } from '../../base/json.js';
import { parseYaml } from '../documents/parse-yaml.js';
import type { CommandLine } from './command-line.js';
import type { Launch } from './launch.js';

export type ApiUserAnswer =
  | { readonly ok: true; readonly user: ApiRequester }
  | { readonly ok: false; readonly message: string };

/** The kubeconfig's user (kubeadm names the entry after the certificate's subject), or the pod's ServiceAccount. */
export function readApiUser(launch: Launch, flags: CommandLine): ApiUserAnswer {
  const path = flags.text('kubeconfig', '');
  if (path === '') return { ok: true, user: serviceAccountUser(launch.serviceAccount) };
  const text = launch.readFile(path);
  if (text === undefined) return { ok: false, message: `stat ${path}: no such file or directory` };
  const parsed = parseYaml(text, { uniqueKeys: false });
  const name = parsed.ok ? textAt(listAt(parsed.value, 'users')[0], 'name') : '';
  if (name === '') return { ok: false, message: `invalid configuration: no user in ${path}` };
  const groups = name === 'kubernetes-admin' ? ['system:masters'] : [];
  return { ok: true, user: { user: name, groups } };
}

/** User and groups of a ServiceAccount in kube-system. */
export function serviceAccountUser(name: string): ApiRequester {
  return {
    user: `system:serviceaccount:kube-system:${name}`,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
  };
}
