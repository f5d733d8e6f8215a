import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import { serverCommand } from '../typed-command.js';
import type { FleetPath } from './fleet-path.js';

/** Flags that the run of one cluster takes, and a fleet does not know. */
const OF_RUNS = [
  ['code', '--code', 'waives a finding of the run of one cluster'],
  ['gate', '--gate', 'names a gate of the run of one cluster'],
  ['file', '-f', 'finds the run of one cluster'],
  ['withoutWorkers', '--without-workers', 'is for the next run of one cluster'],
] as const;

/**
 * What a fleet would ignore is refused: `skip FLEET/CLUSTER --code` would leave the cluster out instead of waiving a finding.
 * @throws UsageError with what to type instead
 */
export function refuseForeignFlags(
  { options }: Pick<Cli, 'options'>,
  word: string,
  { part, text }: FleetPath,
): void {
  const foreign = OF_RUNS.find(([name]) => options.isTyped(name));
  if (foreign !== undefined) {
    const [name, flag, meaning] = foreign;
    const cluster = part.kind === 'cluster' ? part.cluster : 'CLUSTER';
    const code = options.text(name);
    const value = code === null ? options.texts(name) : [code];
    const instead = serverCommand([word, cluster, flag, ...value], options);
    const whole = part.kind === 'all' ? 'a fleet' : 'a part of a fleet';
    throw new UsageError(
      `${flag} ${meaning}, and ${text} is ${whole}: for the run itself type \`${instead}\`, for the fleet leave it out`,
    );
  }
  if (!options.isTyped('ticket')) return;
  throw new UsageError(
    `--ticket is kept with runs, and a command to a fleet has no place for it: write it into --reason`,
  );
}
