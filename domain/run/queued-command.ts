import type { OperatorCommand } from './operator-command.js';

/** `receivedAtMs`: epoch ms. `isExact`: it approves or skips only what it names. Both are absent where an older build received it. */
export interface QueuedCommand extends OperatorCommand {
  readonly receivedAtMs?: number;
  readonly isExact?: true;
  readonly admitted?: AdmittedBy;
}

/** What a worker with an access policy says of an approval: whose it is, and how many it takes. */
export interface AdmittedBy {
  readonly principal: string;
  readonly quorum: number;
}
