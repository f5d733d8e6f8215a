import type { Manager } from '../../domain/vocabulary.js';

/** Names of the managers' programs, which are also those of their Leases, users and static pods. */
export const MANAGER_NAMES: Readonly<Record<Manager, string>> = {
  kcm: 'kube-controller-manager',
  ccm: 'cloud-controller-manager',
};
