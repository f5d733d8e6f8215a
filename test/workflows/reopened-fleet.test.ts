import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { viewFleetRun } from '../../cli/fleets/fleet-run.js';
import { reopenWith } from '../../cli/fleets/send-to-ended-fleet.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import type { fleetMigration } from '../../workflows/fleet-migration.js';
import { fleetAnswerQuery, fleetCommandSignal } from '../../workflows/messages/fleet-messages.js';
import { type FleetLab, openFleetLab, order, stateOf } from './support/fleet-lab.js';
import { eventually } from './support/migration-run.js';

let lab: FleetLab;
beforeAll(async () => {
  lab = await openFleetLab();
});
afterAll(() => lab.close());

it('two people open an ended fleet again at once, and both are obeyed; a later fleet of its name obeys neither', async () => {
  await lab.withWorker(async () => {
    const { client } = lab.environment;
    const rows = [{ name: 'm' }, { name: 'n' }, { name: 'o' }];
    const handle = await lab.start({ name: 'raced', rows });
    const name = lab.named('raced');
    await handle.result();
    const seen = await viewFleetRun(client, name);
    if (seen === null || seen.state === null) throw new Error('the fleet does not answer');
    const { state, fleetRun } = seen;
    expect(fleetRun).toBe(state.fleetRun);
    const back = (row: number): FleetCommand => ({
      ...{ commandId: `back ${row}`, actor: 'bo', reason: 'CHG-7', fleetRun },
      ...{ scope: { kind: 'rows', rows: [row] }, order: { verb: 'rollBack' } },
    });
    await Promise.all([0, 1].map((row) => reopenWith(client, seen, state, back(row))));
    const again = client.workflow.getHandle<typeof fleetMigration>(handle.workflowId);
    expect(await again.result()).toEqual({ kind: 'done', counts: { back: 2, proven: 1 } });
    const later = await lab.start({ name: 'raced', rows: [{ name: 'slow-p' }, { name: 'q' }] });
    await later.signal(fleetCommandSignal, back(0));
    const answer = await eventually(
      () => later.query(fleetAnswerQuery, 'back 0'),
      (found) => found !== null,
    );
    expect(answer).toMatchObject({
      state: 'refused',
      detail: expect.stringContaining('another fleet'),
    });
    expect((await stateOf(later)).rows.map(({ target }) => target)).toEqual(['ccm', 'ccm']);
    await order(later, { verb: 'stop' });
    await later.result();
  });
});
