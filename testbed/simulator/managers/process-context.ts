import type { FakeCloud } from '../cloud/fake-cloud.js';
import type { Cancel, ChangeEvent, Clock, Draws, ObjectClient } from '../model.js';
import type { ApiRequester } from '../../base/auth/requester.js';
import type { OwnershipLogs } from '../../base/truth/ownership-log.js';

/** What the node and the cluster provide to a manager's process. */
export interface ProcessContext {
  readonly clock: Clock;
  readonly draws: Draws;
  readonly node: string;
  readonly cloud: FakeCloud;
  readonly ownership: OwnershipLogs;
  /** The API server as a user reaches it from this node: 503 while the node is cut off. */
  readonly clientFor: (user: ApiRequester) => ObjectClient;
  /** Changes in the API server; silent while the node is cut off. */
  readonly onChange: (resource: string, listener: (event: ChangeEvent) => void) => Cancel;
  readonly onReconnect: (listener: () => void) => Cancel;
  /** A KCM's main loops started or ended here (workload controllers run only while one leads). */
  readonly onMainLoops: (change: 1 | -1) => void;
}
