import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { withFiles } from '../config/given-files.js';
import { ran } from './fake-terminal.js';
import { planText } from './plan/given-plan.js';
import { exampleFleet, givenFleetPlan, plannedResult } from './plan/given-fleet-plan.js';

const NOBODY = ['--address', '127.0.0.1:1'];
const WHY = ['--reason', 'x', '--yes', '--without-workers', ...NOBODY];

async function fleetPlanText(): Promise<string> {
  const fleet = await exampleFleet();
  const results = fleet.rows.map((_row, index) => plannedResult(fleet, index));
  return JSON.stringify(await givenFleetPlan(fleet, results));
}

const PLANS = [
  ['a cluster', planText],
  ['a fleet', fleetPlanText],
] as const;

describe.each(PLANS)('apply of the saved plan of %s', (_of, written) => {
  async function applied(...flags: readonly string[]) {
    const files = { 'plan.json': await written() };
    return withFiles(files, (folder) =>
      ran(['apply', join(folder, 'plan.json'), ...WHY, ...flags]),
    );
  }

  it.each([
    ['--target', 'kcm'],
    ['--target', 'ccm'],
    ['--cluster', 'prod-2'],
    ['-f', 'fleet/'],
  ])('refuses what the plan has decided: %s %s', async (flag, value) => {
    const { exit, stderr } = await applied(flag, value);
    expect(exit).toBe(64);
    expect(stderr).toContain(`${flag} is decided by the saved plan`);
    expect(stderr).toContain('make a new plan');
  });

  it('reads the limit of its watch before anything is started', async () => {
    const { exit, stderr } = await applied('--watch', '--timeout', 'soon');
    expect([exit, stderr]).toEqual([
      64,
      expect.stringContaining('--timeout soon: write a duration'),
    ]);
  });

  it('refuses a limit where nothing is watched', async () => {
    const { exit, stderr } = await applied('--timeout', '5m');
    expect([exit, stderr]).toEqual([64, expect.stringContaining('add --watch')]);
  });

  it('goes on to the server otherwise', async () => {
    expect((await applied('--watch', '--timeout', '5m')).exit).toBe(1);
  });
});

describe('apply --take-over of a fleet', () => {
  const refused = [
    64,
    expect.stringContaining('--take-over is for one cluster, and this is a fleet'),
  ];

  it('is refused of a saved plan, where it would be ignored', async () => {
    await withFiles({ 'plan.json': await fleetPlanText() }, async (folder) => {
      const plan = join(folder, 'plan.json');
      const { exit, stderr } = await ran(['apply', plan, ...WHY, '--take-over']);
      expect([exit, stderr]).toEqual(refused);
    });
  });

  it('is refused of files, before any cluster is read', async () => {
    const files = ['-f', 'config/examples/fleet'];
    const { exit, stderr } = await ran(['apply', ...files, ...WHY, '--take-over']);
    expect([exit, stderr]).toEqual(refused);
  });
});

describe('numbers of a command line', () => {
  it.each([
    ['dev', '--port', '99999', 'from 1 to 65535'],
    ['dev', '--port', '1.5', 'from 1 to 65535'],
    ['dev', '--ui-port', 'abc', 'from 1 to 65535'],
    ['simulator', '--nodes', '1.5', 'above 0'],
    ['simulator', '--port', '65536', 'from 1 to 65535'],
    ['budget', '--clusters', '0', 'above 0'],
  ])('%s %s %s is refused before the verb begins', async (verb, flag, value, range) => {
    const { exit, stderr } = await ran([verb, ...(verb === 'budget' ? ['f'] : []), flag, value]);
    expect(exit).toBe(64);
    expect(stderr).toContain(`${flag} ${value}: write a whole number ${range}`);
  });

  it('a watch that is none takes no limit', async () => {
    const { exit, stderr } = await ran(['status', 'c', '--timeout', '5m', ...NOBODY]);
    expect([exit, stderr]).toEqual([64, expect.stringContaining('add --watch')]);
  });
});

describe('what cannot be meant', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['an empty name', ['pause', '', '--reason', 'x', ...NOBODY], /\[run\] is empty/],
    ['one fleet and all', ['freeze', 'prod', '--all', ...NOBODY], /leave out prod or --all/],
    ['a plan in no folder', ['plan', '-f', 'x', '--out', '/nonexistent/p.json'], /is no folder/],
    ['a plan in place of a folder', ['plan', '-f', 'x', '--out', '/tmp'], /is a folder/],
  ])('is refused: %s', async (_case, argv, why) => {
    const { exit, stderr } = await ran(argv);
    expect([exit, stderr]).toEqual([64, expect.stringMatching(why)]);
  });
});

describe('a command to a fleet', () => {
  it.each<[readonly string[], readonly string[]]>([
    [
      ['skip', 'prod/eu-1', '--code', 'CCM3009'],
      [
        '--code',
        '`ccm-migrate skip eu-1 --code CCM3009 --address 127.0.0.1:1`',
        'a part of a fleet',
      ],
    ],
    [
      ['skip', 'fleet-migration/prod', '--code', 'CCM3009'],
      [
        '--code',
        '`ccm-migrate skip CLUSTER --code CCM3009 --address 127.0.0.1:1`',
        'prod is a fleet',
      ],
    ],
    [
      ['pause', 'prod/wave/main', '-f', 'fleet/'],
      ['-f', '`ccm-migrate pause CLUSTER -f fleet/ --address 127.0.0.1:1`'],
    ],
    [
      ['rollback', 'prod', '-l', 'region=r1', '--without-workers'],
      [
        '--without-workers',
        '`ccm-migrate rollback CLUSTER --without-workers --address 127.0.0.1:1`',
      ],
    ],
    [
      ['pause', 'prod/eu-1', '--ticket', 'CHG-1'],
      ['--ticket', '--reason'],
    ],
  ])('refuses what a fleet would ignore: %j', async (argv, said) => {
    const { exit, stderr } = await ran([...argv, '--reason', 'x', '--yes', ...NOBODY]);
    expect(exit).toBe(64);
    for (const each of said) expect(stderr).toContain(each);
  });
});
