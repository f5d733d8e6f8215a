import { describe, expect, it } from '@jest/globals';
import type { FleetCommand, FleetOrder } from '../../../domain/fleet/fleet-command.js';
import { type Envelope, PAYLOAD_TYPE } from '../../../domain/authority/signed-envelope.js';
import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import type { FleetState } from '../../../domain/fleet/fleet-state.js';
import { requesterOf, withRequest } from '../../../domain/fleet/requests.js';
import { FAILED, GivenFleet, rowPlans, rows } from './given-fleet.js';

/** Tells a command, and who asked for which rows since. */
class AskedFleet {
  readonly fleet = new GivenFleet({ rows: rowPlans({}, {}, {}) }, { inFlight: 3, unproven: 9 });
  requests: ReturnType<typeof withRequest> = [];
  private commands = 0;

  say(
    order: FleetOrder,
    actor: string,
    scope: FleetCommand['scope'],
    { commandId, signed }: { readonly commandId?: string; readonly signed?: Envelope } = {},
  ): this {
    this.commands += 1;
    const id = commandId ?? `said-${this.commands}`;
    const before: FleetState = this.fleet.state;
    const { fleetRun } = before;
    const command = {
      ...{ commandId: id, actor, reason: 'CHG-7', fleetRun, scope, order },
      ...(signed === undefined ? {} : { signed }),
    };
    const event = { kind: 'command', atMs: this.fleet.atMs, command } as const;
    this.fleet.state = advanceFleet(before, event).state;
    this.requests = withRequest(this.requests, before, this.fleet.state, command);
    return this;
  }

  actors(): readonly (string | null)[] {
    return [0, 1, 2].map((row) => requesterOf(this.requests, row)?.actor ?? null);
  }
}

describe('who asked for a row', () => {
  it('is the person whose command changed it last, of the rows that it changed', () => {
    const asked = new AskedFleet();
    asked.fleet.report(0, FAILED).report(1, FAILED);
    asked.say({ verb: 'retry', only: { kind: 'failed' } }, 'bo', { kind: 'fleet' });
    expect(asked.actors()).toEqual(['bo', 'bo', null]);
    asked.say({ verb: 'rollBack' }, 'cy', rows(1, 2));
    expect(asked.actors()).toEqual(['bo', 'cy', 'cy']);
    asked.say({ verb: 'rollBack' }, 'di', rows(0));
    expect(asked.actors()).toEqual(['di', 'cy', 'cy']);
    expect(asked.requests).toHaveLength(2);
  });

  it('is not the person of a command that changed nothing, that was repeated, or that asked for no attempt', () => {
    const asked = new AskedFleet();
    asked.say({ verb: 'rollForward' }, 'bo', rows(0));
    asked.say({ verb: 'pause' }, 'bo', rows(0));
    asked.say({ verb: 'rollBack' }, 'cy', rows(0), { commandId: 'once' });
    asked.say({ verb: 'rollBack' }, 'eve', rows(0), { commandId: 'once' });
    expect(asked.actors()).toEqual(['cy', null, null]);
  });
});

describe('the command that asks for another try of a row', () => {
  it('is the last one of its direction', () => {
    const word = (payload: string): Envelope => ({
      ...{ payloadType: PAYLOAD_TYPE, payload, signatures: [] },
    });
    const asked = new AskedFleet();
    const retryOf = (row: number) => requesterOf(asked.requests, row)?.retry?.payload;
    asked.fleet.report(0, FAILED).report(1, FAILED);
    const retry = { verb: 'retry', only: { kind: 'all' } } as const;
    asked.say(retry, 'bo', rows(0, 1), { signed: word('one') });
    expect([retryOf(0), retryOf(1)]).toEqual(['one', 'one']);
    asked.fleet.report(1, FAILED);
    asked.say(retry, 'bo', rows(1), { signed: word('two') });
    expect([retryOf(0), retryOf(1)]).toEqual(['one', 'two']);
    asked.say({ verb: 'rollBack' }, 'cy', rows(1), { signed: word('three') });
    expect([retryOf(0), retryOf(1)]).toEqual(['one', undefined]);
  });
});

describe('the command that the direction of a row rests on', () => {
  const signed: Envelope = { payloadType: PAYLOAD_TYPE, payload: 'e30=', signatures: [] };
  const signedOf = ({ requests }: AskedFleet) =>
    [0, 1, 2].map((row) => requesterOf(requests, row)?.signed !== undefined);

  it('goes with the rows that it turned, also when they are tried again', () => {
    const asked = new AskedFleet();
    asked.fleet.report(0, FAILED).report(1, FAILED);
    asked.say({ verb: 'retry', only: { kind: 'failed' } }, 'bo', rows(0, 1), { signed });
    expect(signedOf(asked)).toEqual([false, false, false]);
    asked.say({ verb: 'rollBack' }, 'cy', rows(1), { signed });
    expect(signedOf(asked)).toEqual([false, true, false]);
    asked.fleet.report(1, FAILED);
    asked.say({ verb: 'retry', only: { kind: 'all' } }, 'di', rows(1));
    expect(signedOf(asked)).toEqual([false, true, false]);
    expect(asked.actors()).toEqual(['bo', 'di', null]);
    asked.say({ verb: 'rollForward' }, 'ed', rows(1));
    expect(signedOf(asked)).toEqual([false, false, false]);
  });
});
