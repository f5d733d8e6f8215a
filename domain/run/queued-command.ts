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
  /** Its pause holds no rollback: automation sent it. */
  readonly yields?: true;
  /** A worker says that a principal signed it who may do so as automation only, whatever name it bears. */
  readonly byAutomation?: true;
}

/** What a worker with an access policy says of an approval: whose it is, and how many it takes. */
export interface AdmittedBy {
  readonly principal: string;
  readonly quorum: number;
}
