import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { Ajv } from 'ajv';
import { expect, it } from '@jest/globals';
import { jsonSchemaOf } from '../../../../config/json-schemas.js';
import { compiledProgram } from '../../../../devserver/package-files.js';
import { withFiles } from '../../../config/given-files.js';
import { filesOfFleet } from './given-files-of-fleet.js';

/** The build of the suite, as people run it; with its temporary folders in one that can be looked into. */
async function rehearsed(
  folder: string,
): Promise<readonly [code: number, out: string, err: string]> {
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  const words = ['rehearse', '-f', folder, '--soak', '1s', '--speed', '6', '-o', 'json'];
  const child = spawn(process.execPath, [compiledProgram('cli', 'main.js'), ...words], {
    // A server that a rehearsal asked would not answer.
    env: { ...process.env, TMPDIR: temporary, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (bytes: Buffer) => (said.out += bytes.toString('utf8')));
  child.stderr.on('data', (bytes: Buffer) => (said.err += bytes.toString('utf8')));
  await once(child, 'close');
  return [child.exitCode ?? -1, said.out, said.err];
}

it('a rehearsal takes a fleet of clusters that no one can reach through its wave, and leaves nothing behind', async () => {
  const clusters = [
    ['b.one', 'eu.west'],
    ['b-two', 'us'],
  ] as const;
  const files = await filesOfFleet(clusters, {
    waves: [
      { name: 'all', approvals: { quorum: 1, approvers: ['ana'] }, windows: [{ days: ['Su'] }] },
    ],
    rollout: { inFlight: 2, caps: { region: 1 }, startAt: '2199-01-01T00:00:00Z' },
  });
  await withFiles(files, async (folder) => {
    const [code, out, err] = await rehearsed(folder);
    if (code !== 0) throw new Error(`it ended with ${String(code)}: ${out}\n${err}`);
    expect(err).toContain('windows and excluded dates are left out: waves all');
    expect(err).toContain('wave all: approved by rehearsal (rehearsal-2)');
    const report = JSON.parse(out) as object;
    expect(new Ajv({ strict: false }).compile(jsonSchemaOf('RehearsalReport'))(report)).toBe(true);
    expect(report).toMatchObject({
      ...{ kind: 'RehearsalReport', passed: true },
      phases: { 'b.one': 'proven', 'b-two': 'proven' },
      exposure: { overlapSeconds: 0, mostChanging: expect.any(Number) as unknown },
      clusters: [
        { owners: ['ccm'], region: 'eu.west' },
        { owners: ['ccm'], region: 'us' },
      ],
    });
    expect(await readdir(join(folder, 'temporary'))).toEqual([]);
  });
}, 600_000);
