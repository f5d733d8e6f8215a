import { describe, expect, it } from '@jest/globals';
import { PAYLOAD_TYPE } from '../../../domain/authority/signed-envelope.js';
import { fleetName } from '../../../domain/run/fleet-ties.js';
import { readMembership, readOrder } from '../../../domain/run/read-order.js';
import { BY, MEMBER } from './given-run.js';

const { fleetRun, row, grant } = MEMBER;
const sent = (order: unknown): unknown => ({ fleetRun, row, grant, order });

const SIGNED = {
  payloadType: PAYLOAD_TYPE,
  payload: 'e30=',
  signatures: [{ keyid: 'k', sig: 's' }],
};

const ORDERS = [
  { kind: 'adopt', fleetWorkflowId: 'fleet-migration/a' },
  { kind: 'park' },
  { kind: 'grant', target: 'ccm', by: BY },
  { kind: 'grant', target: 'ccm', by: BY, signed: SIGNED, retry: SIGNED },
  { kind: 'turn', target: 'kcm', by: BY, byPerson: false },
  { kind: 'turn', target: 'kcm', by: BY, byPerson: true, signed: SIGNED },
  { kind: 'withdraw', by: BY },
  { kind: 'brake', commandId: 'c', by: BY },
  { kind: 'release', commandId: 'c', by: BY },
] as const;

it('a run without a fleet names none', () => {
  expect(fleetName({ of: null })).toBe('');
});

describe('an order from outside', () => {
  it.each(ORDERS)('to $kind is read as it was sent, without what else is in it', (order) => {
    expect(readOrder(sent({ ...order, more: 1 }))).toEqual(sent(order));
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'park'],
    ['a list', [sent({ kind: 'park' })]],
    ['no order', { fleetRun, row, grant }],
    ['no fleet run', { row, grant, order: { kind: 'park' } }],
    ['an empty fleet run', { fleetRun: '', row, grant, order: { kind: 'park' } }],
    ['a row that is no count', { fleetRun, row: -1, grant, order: { kind: 'park' } }],
    ['a grant that is no number', { fleetRun, row, grant: '1', order: { kind: 'park' } }],
    ['a broken grant', { fleetRun, row, grant: 1.5, order: { kind: 'park' } }],
    ['an unknown order', sent({ kind: 'explode', by: BY })],
    ['an adoption by nothing', sent({ kind: 'adopt', fleetWorkflowId: '' })],
    ['an unknown target', sent({ kind: 'grant', target: 'both', by: BY })],
    ['no requester', sent({ kind: 'withdraw' })],
    ['a requester without a name', sent({ kind: 'withdraw', by: { actor: '', reason: 'x' } })],
    ['a requester without a reason', sent({ kind: 'withdraw', by: { actor: 'a' } })],
    ['a turn by who knows whom', sent({ kind: 'turn', target: 'kcm', by: BY })],
    ['a brake without its command', sent({ kind: 'brake', by: BY })],
  ])('that is %s is malformed', (_, value) => {
    expect(readOrder(value)).toBeNull();
  });

  it('names a row of a fleet only with all its parts', () => {
    expect(readMembership({ ...MEMBER, more: 1 })).toEqual(MEMBER);
    expect(readMembership(null)).toBeNull();
    for (const part of Object.keys(MEMBER)) {
      expect(readMembership({ ...MEMBER, [part]: undefined })).toBeNull();
    }
  });
});
