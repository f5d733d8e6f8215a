import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { jsonSchemaOf } from '../../../../config/json-schemas.js';
import { ran, type Ran } from '../../fake-terminal.js';
import { signedExport } from '../signed-export.js';
import { closedFleet, type Members } from './closed-fleet.js';
import {
  approvalBy,
  BEN,
  fleetGiven,
  FleetWriter,
  RUN,
  signedFleet,
  startBy,
  TRUST_FILE,
} from './signed-fleet.js';

let folder: string;
const at = (name: string): string => join(folder, name);
const audit = (...words: readonly string[]): Promise<Ran> =>
  ran(['audit', ...words, '--no-replay']);

function forged(): string {
  const open = signedFleet();
  open.executions[0]?.items.splice(1, 2);
  return closedFleet(open);
}

/** Refused, let pass with broken glass, and never answered. */
function eventful(): string {
  const given = fleetGiven();
  const limits: Members = { verb: 'set', inFlight: 3, unproven: null };
  const by = { actor: 'cy', reason: 'r\n10:00:00  ✔ all is well', fleetRun: RUN };
  const group = { kind: 'group', group: 'region=r1' };
  const refused = { ...by, commandId: 'a', scope: group, order: { verb: 'skip' } };
  return closedFleet(
    new FleetWriter()
      .begin(RUN, { given: { ...given, authority: startBy(given) } })
      .signal('fleetCommand', refused)
      .activity(
        'admitCommand',
        { command: refused },
        { kind: 'refused', why: 'the command is not signed' },
      )
      .command(approvalBy(BEN, given), 'ben', 'break-glass: ben')
      .signal('fleetCommand', {
        ...{ ...by, commandId: 'b', scope: { kind: 'fleet' }, order: limits },
      })
      .starts(1, 2)
      .end('done', { proven: 2, skipped: 1 }),
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-show-fleet-'));
  await mkdir(at('exports/fleets'), { recursive: true });
  await Promise.all([
    writeFile(at('trust.yaml'), TRUST_FILE),
    writeFile(at('fleet.json'), closedFleet(signedFleet())),
    writeFile(at('forged.json'), forged()),
    writeFile(at('eventful.json'), eventful()),
    writeFile(at('exports/run.json'), signedExport({ steps: 1 })),
    writeFile(at('exports/fleets/fleet.json'), closedFleet(signedFleet())),
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

describe('audit show of a fleet', () => {
  it('tells who asked, approved and commanded, with which keys, and what was started then', async () => {
    const { exit, stdout, stderr } = await audit(
      ...['show', at('fleet.json'), '--trust', at('trust.yaml')],
    );
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout).toMatch(/^fleet prod {2}॥ stopped · 2026-11-21 10:00:00Z/);
    expect(stdout).toMatch(/^Proof {5}✔ all of 9 checks pass$/m);
    expect(stdout).toMatch(/^Known {5}signed by ana with key [0-9a-f]{12}$/m);
    expect(stdout).toMatch(/^Ended {5}1 proven, 1 back, 1 stopped$/m);
    expect(stdout).toMatch(
      /^Waves {5}canary \(1 cluster, begun 10:00:00\); main \(2 clusters, begun 10:00:00, after 1 approval\)$/m,
    );
    expect(stdout).toMatch(/^Plan {6}sha256:[0-9a-f]{64}, revision 2$/m);
    const happened = stdout.split('What happened')[1]?.split('\n\nChecks')[0] ?? '';
    expect(happened.split('\n').filter((line) => /^\d\d:/.test(line))).toEqual([
      '10:00:00  • apply by ana: CHG-1 (CHG-1)',
      '10:00:00  • approve the beginning of wave main by ben: CHG-1',
      expect.stringMatching(/^10:00:00 {2}• revise sha256:[0-9a-f]{64} by ana: CHG-2$/),
      '10:00:00  • rollBack c1 by ben: CHG-1',
      '10:00:00  • stop by cy: enough',
      '10:00:00  ✔ asked for 1 run of wave canary: c0',
      '10:00:00  ✔ asked for 1 run of wave main: c1',
      '10:00:00  ✔ asked for 1 run of wave main: c2',
    ]);
    expect(happened).toMatch(/• stop by cy: enough\n +claimed, not signed\n/);
  });

  it('names refusals and broken glass, and foreign text makes no line of its own', async () => {
    const { stdout } = await audit('show', at('eventful.json'), '--trust', at('trust.yaml'));
    expect(stdout).toMatch(/✖ skip region=r1 by cy: .*\n +claimed, not signed\n/);
    expect(stdout).toMatch(/refused: the command is not signed$/m);
    expect(stdout).toMatch(/signed by ben with key [0-9a-f]{12}; allowed as breakGlass$/m);
    expect(stdout).toMatch(/• set in flight 3 by cy/);
    expect(stdout).not.toMatch(/^10:00:00 {2}✔ all is well/m);
    expect(stdout).toContain('approvals: wave main by ben (BREAK-GLASS)');
  });

  it.each([
    ['fleet.json', ['--trust', 'trust.yaml'], 0],
    ['fleet.json', [], 8],
    ['forged.json', ['--trust', 'trust.yaml'], 3],
  ])('of %s %j it ends as `audit verify` does, with its checks', async (file, flags, exit) => {
    const words = [at(file), ...flags.map((each) => (each === 'trust.yaml' ? at(each) : each))];
    const shown = await audit('show', ...words, '-o', 'json');
    const verified = await audit('verify', ...words, '-o', 'json');
    const document = JSON.parse(shown.stdout);
    const { checks, passed } = JSON.parse(verified.stdout);
    expect(document).toMatchObject({ runs: [], fleets: [{ file: at(file), checks, passed }] });
    expect([shown.exit, verified.exit]).toEqual([exit, exit]);
    const validate = new Ajv({ strict: false, formats: {} }).compile(jsonSchemaOf('AuditAccount'));
    expect([validate(document), validate.errors]).toEqual([true, null]);
  });

  it.each([
    ['its name', ['prod']],
    ['its run', [RUN]],
    ['a later execution', ['run-b']],
    ['its workflow', ['fleet-migration/prod']],
  ])('in a folder it is meant by %s', async (_case, names) => {
    const words = ['show', ...names, '--exports', at('exports'), '--trust', at('trust.yaml')];
    const { exit, stdout } = await audit(...words);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^fleet prod /);
  });

  it('in a folder it is one of those to choose from', async () => {
    const { stderr, exit } = await audit('show', '--exports', at('exports'));
    expect(exit).toBe(64);
    expect(stderr).toContain('there are 2 runs: name one, a cluster or fleet (c1, prod)');
    expect((await audit('show', 'prd', '--exports', at('exports'))).stderr).toContain(
      'did you mean "prod"?',
    );
  });

  it('a file in the folder of fleets that is none is named', async () => {
    await mkdir(at('bad/fleets'), { recursive: true });
    await writeFile(at('bad/fleets/x.json'), signedExport({ steps: 1 }));
    const { stderr, exit } = await audit('show', 'prod', '--exports', at('bad'));
    expect([exit, stderr]).toEqual([
      64,
      expect.stringContaining('x.json: it is not an export of a fleet'),
    ]);
  });
});
