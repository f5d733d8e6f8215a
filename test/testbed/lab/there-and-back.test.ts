import { expect, it, jest } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isNothing, knownLabs, remainsOf } from '../../../testbed/lab/lifecycle/clean.js';
import { describeInLab, isWholeLabWanted } from './wanted.js';

const PROGRAM = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const ENDED = 0;

jest.setTimeout(1_200_000);

interface DemoReport {
  readonly passed: boolean;
  readonly claims: readonly {
    readonly claim: string;
    readonly holds: boolean;
    readonly seen: string;
  }[];
  readonly directions: readonly {
    readonly target: string;
    readonly sources: { readonly contradictions: readonly string[] } | null;
    readonly truth: Readonly<Record<string, { readonly overlapSeconds: number }>>;
  }[];
}

async function demo(
  ...flags: readonly string[]
): Promise<{ code: number | null; report: DemoReport }> {
  const words = [PROGRAM, 'demo', '--lab', '-o', 'json', ...flags];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(child, 'close');
  return { code: child.exitCode, report: JSON.parse(text) as DemoReport };
}

/** A test environment, and the options with which the demo makes it. */
type Case = readonly [string, readonly string[]];
const IN_EVERY_CHECK: readonly Case[] = [
  ['three nodes, replaced and rolled back in place, the CCM as static pod', []],
];
const WITH_TIME: readonly Case[] = [
  ['the CCM as DaemonSet, nodes changed in place', ['--in-place', '--ccm', 'daemonSet']],
  ['a gap on one node', ['--strategy', 'gap', '--in-place', '--nodes', '1']],
  [
    'managers of the same version, in place',
    ['--in-place', '--nodes', '2', '--from', '1.30.14', '--to', '1.30.14'],
  ],
  [
    'between two versions that name controllers differently',
    ['--nodes', '2', '--from', '1.27.4', '--to', '1.28.15'],
  ],
];

/** The product's own workflow, forward and back. */
describeInLab(
  'the demo keeps its claims on real control planes',
  () => {
    it.each([...IN_EVERY_CHECK, ...(isWholeLabWanted ? WITH_TIME : [])])(
      'every claim holds and nothing is left behind: %s',
      async (_case, flags) => {
        const before = knownLabs().map(({ lab }) => lab);
        const { code, report } = await demo(...flags);
        // Printed for the record of a run; no assertion uses it.
        for (const { claim, seen } of report.claims) process.stderr.write(`  ${claim}: ${seen}\n`);
        expect(report.claims.filter(({ holds }) => !holds)).toEqual([]);
        expect(
          report.directions.map(({ target, sources }) => [target, sources?.contradictions]),
        ).toEqual([
          ['ccm', []],
          ['kcm', []],
        ]);
        expect({ code, passed: report.passed }).toEqual({ code: ENDED, passed: true });
        expect(knownLabs().map(({ lab }) => lab)).toEqual(before);
        const free = [1, 2, 3].filter((lab) => !before.includes(lab));
        expect(free.filter((lab) => !isNothing(remainsOf(lab)))).toEqual([]);
      },
    );
  },
  7,
);
