import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { advanceFleet } from '../../../domain/fleet/advance-fleet.js';
import { decodeFleet, type EncodedFleet } from '../../../domain/fleet/encoded-fleet.js';

/** What a fleet carried over that was begun by the build of 2026-11-27 (e50d00fc), between two waves, with one approval of two. */
const CARRIED = new URL('./fixtures/carried-2026-11-27.json', import.meta.url);

it('a fleet of an older build goes on from what it carried: the approval that it had counts, and none of the same person', async () => {
  const state = decodeFleet(JSON.parse(await readFile(CARRIED, 'utf8')) as EncodedFleet);
  const { planDigest, revision, fleetRun } = state;
  const approve = { verb: 'approve', subject: { kind: 'before', wave: 1 } } as const;
  const approvedBy = (commandId: string, actor: string) => {
    const said = { commandId, actor, principal: actor, reason: 'go', fleetRun } as const;
    const order = { ...approve, planDigest, revision };
    const command = { ...said, scope: { kind: 'fleet' }, order } as const;
    return advanceFleet(state, { kind: 'command', command, atMs: state.nowMs + 1 });
  };
  expect(approvedBy('again', 'ben').state.answers['again']).toMatchObject({ state: 'refused' });
  const next = approvedBy('second', 'carla');
  expect(next.state.answers['second']).toMatchObject({ detail: '2 of 2 approvals' });
  expect(next.state.rows.map(({ phase }) => phase)).toEqual([
    'proven',
    'proven',
    'active',
    'active',
    'waiting',
    'waiting',
  ]);
});
