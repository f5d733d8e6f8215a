import type { Manager } from '../../domain/vocabulary.js';
import { MAIN, MIGRATION } from '../testbed/simulator/environment.js';

/**
 * `Generic` in the `/configz` of a manager with canonical names (F4), in Go's own field names: the types behind it have no
 * JSON names (k8s.io/component-base/config/types.go, k8s.io/controller-manager/config/types.go).
 */
export function genericConfigz(manager: Manager, retryPeriod: string): object {
  return {
    LeaderElection: {
      LeaderElect: true,
      LeaseDuration: '15s',
      RenewDeadline: '10s',
      RetryPeriod: retryPeriod,
      ResourceLock: 'leases',
      ResourceName: MAIN[manager],
      ResourceNamespace: 'kube-system',
    },
    LeaderMigrationEnabled: true,
    LeaderMigration: {
      LeaderName: MIGRATION,
      ResourceLock: 'leases',
      ControllerLeaders: [
        { Name: 'node-route-controller', Component: '*' },
        { Name: 'service-lb-controller', Component: '*' },
        { Name: 'cloud-node-lifecycle-controller', Component: '*' },
      ],
    },
  };
}
