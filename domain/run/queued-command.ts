import type { OperatorCommand } from './operator-command.js';

/** `receivedAtMs`: epoch ms; absent where an older build received it. */
export interface QueuedCommand extends OperatorCommand, ReceivedAs {
  readonly receivedAtMs?: number;
}

/** What a run knows of a command besides what was sent. All of it is absent where an older build received it. */
export interface ReceivedAs {
  /** It approves or skips only what it names. */
  readonly isExact?: true;
  readonly admitted?: AdmittedBy;
  readonly yields?: Yields;
  /** A worker says that a principal signed it who may do so as automation only, whatever name it bears. */
  readonly byAutomation?: true;
}

/**
 * A pause of automation holds no rollback, and keeps policy from none that a measured failure calls for. `true`: of an older build, whose
 * alerts kept policy from beginning one.
 */
export type Yields = true | 'toPolicy';

/** What a worker with an access policy says of an approval: whose it is, and how many it takes. */
export interface AdmittedBy {
  readonly principal: string;
  readonly quorum: number;
}
