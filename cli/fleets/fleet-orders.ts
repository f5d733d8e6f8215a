import type { Client } from '@temporalio/client';
import { awaitedLimits, limitsText } from '../../domain/fleet/awaited-limits.js';
import { fleetVerbOf } from '../../domain/fleet/fleet-verbs.js';
import type {
  SeenLimits,
  ApprovalSubject,
  FleetOrder,
  FleetScope,
  RetryFilter,
} from '../../domain/fleet/fleet-command.js';
import type { FleetState } from '../../domain/fleet/fleet-state.js';
import { forecast, type Forecast } from '../../domain/fleet/forecast.js';
import type { FleetWaveSettings } from '../../activities/fleet-input.js';
import type { Cli } from '../cli.js';
import { isText, printDocument } from '../cli.js';
import { CliError, UsageError } from '../cli-error.js';
import type { ExitStatus } from '../exit-status.js';
import { FORECAST_SEED } from '../plan/fleet-forecast.js';
import { counted, shownDuration } from '../terminal/wording.js';
import { restOfFleet } from './forecast-rest.js';
import type { FleetPath } from './fleet-path.js';
import { settingsOfRun, viewFleetRun } from './fleet-run.js';

/** The order that the words and flags of a command line mean. */
export function orderFor(
  cli: Cli,
  verb: FleetOrder['verb'],
  scope: FleetScope,
  state: FleetState | null,
): FleetOrder {
  switch (verb) {
    case 'approve':
    case 'reject': {
      const seen = requireState(state);
      const subject = subjectOf(cli, scope, seen);
      if (verb === 'reject') return { verb, subject };
      const { planDigest, revision } = seen;
      const limits = subject.kind === 'limits' ? limitsSeen(seen) : null;
      return { verb, subject, planDigest, revision, ...(limits === null ? {} : { limits }) };
    }
    case 'retry':
      return { verb, only: retryFilter(cli) };
    case 'set':
      return { verb, ...limitsGiven(cli) };
    case 'budget':
      return { verb, clusters: cli.options.count('clusters') ?? missing('--clusters') };
    case 'pause':
    case 'resume':
    case 'freeze':
    case 'unfreeze':
    case 'skip':
    case 'open':
    case 'stop':
    case 'rollBack':
    case 'rollForward':
      return { verb };
  }
}

function requireState(state: FleetState | null): FleetState {
  if (state === null) throw new UsageError('an approval is for a plan that the fleet must report');
  return state;
}

/** The approval is for these numbers alone, which the confirmation shows. */
function limitsSeen(state: FleetState): SeenLimits | null {
  const awaited = awaitedLimits(state);
  return awaited === null ? null : { inFlight: awaited.inFlight, unproven: awaited.unproven };
}

/** What the fleet does by an order, as asked before it is sent. */
export function effectOf(order: FleetOrder, state: FleetState | null): string {
  const { effect } = fleetVerbOf(order.verb);
  if (order.verb !== 'approve' || order.subject.kind !== 'limits' || state === null) return effect;
  const awaited = awaitedLimits(state);
  if (awaited === null) return effect;
  return `takes ${limitsText(awaited)}, instead of ${limitsText(state.policy)}, as ${awaited.actor} asked`;
}

/** Before a wave has begun its approval is the one before, then the one after. */
function subjectOf({ options }: Cli, scope: FleetScope, { waves }: FleetState): ApprovalSubject {
  if (options.flag('limits')) return { kind: 'limits' };
  const wave = scope.kind === 'wave' ? waves[scope.wave] : undefined;
  if (wave === undefined) {
    throw new UsageError('name what is approved: FLEET/wave/NAME, or --limits');
  }
  return { kind: wave.begunMs === null ? 'before' : 'after', wave: wave.index };
}

function retryFilter({ options }: Cli): RetryFilter {
  const signature = options.text('signature');
  const given = [options.flag('failed'), options.flag('skipped'), signature !== null];
  if (given.filter(Boolean).length > 1) {
    throw new UsageError('--failed, --skipped and --signature exclude each other');
  }
  if (signature !== null) return { kind: 'signature', signature };
  if (options.flag('failed')) return { kind: 'failed' };
  return options.flag('skipped') ? { kind: 'skipped' } : { kind: 'all' };
}

interface Limits {
  readonly inFlight: number | null;
  readonly unproven: number | null;
}

function limitsGiven(cli: Cli): Limits {
  const [inFlight, unproven] = [cli.options.count('inFlight'), cli.options.count('unproven')];
  if (inFlight === null && unproven === null) return missing('--in-flight or --unproven');
  return { inFlight, unproven };
}

function missing(flag: string): never {
  throw new UsageError(`${flag} is required`);
}

/** `set --what-if`: the rest of the fleet by the rule itself, with the limits as they are and as given. Changes nothing. */
export async function whatIfLimits(
  cli: Cli,
  client: Client,
  { fleet }: FleetPath,
): Promise<ExitStatus> {
  const given = limitsGiven(cli);
  const view = await viewFleetRun(client, fleet);
  const settings = view === null ? null : await settingsOfRun(client, view);
  if (view === null || view.state === null || settings === null) {
    throw new CliError('CCM4022', `fleet ${fleet} does not report its state`);
  }
  const { now, then } = compareLimits(view.state, settings.waves, given);
  if (!isText(cli)) {
    printDocument(cli, 'FleetForecast', { fleet, now, then, ...given });
    return 'reached';
  }
  cli.terminal.out(
    [
      `As it is:  ${leftText(now)}`,
      `With that: ${leftText(then)}`,
      'Nothing was changed.',
      '',
    ].join('\n'),
  );
  return 'reached';
}

function compareLimits(
  live: FleetState,
  waves: readonly FleetWaveSettings[],
  { inFlight, unproven }: Limits,
): { readonly now: Forecast; readonly then: Forecast } {
  const { state, model, ...simulation } = restOfFleet(live, waves);
  const { policy } = state;
  const changed = {
    ...state,
    policy: {
      ...policy,
      inFlight: inFlight ?? policy.inFlight,
      unproven: unproven ?? policy.unproven,
    },
  };
  return {
    now: forecast(state, model, FORECAST_SEED, simulation),
    then: forecast(changed, model, FORECAST_SEED, simulation),
  };
}

function leftText({ p50Ms, p90Ms, unfinished }: Forecast): string {
  const left = unfinished === 0 ? '' : `, ${counted(unfinished, 'cluster')} unfinished`;
  return `${shownDuration(p50Ms)} to ${shownDuration(p90Ms)} more${left}`;
}
