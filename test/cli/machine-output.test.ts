import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { failure } from '../../activities/failures.js';
import { UsageError, commandError, refusalAt } from '../../cli/cli-error.js';
import { isSchemaName, jsonSchemaOf } from '../../config/json-schemas.js';
import { policyOf } from '../support/cluster-builder.js';
import { ran } from './fake-terminal.js';
import { FINDING, PLAN_DIGEST, endedView, viewOf } from './given-runs.js';
import { TIMINGS } from './plan/given-plan.js';

function accepted(document: { readonly kind: string }): boolean {
  if (!isSchemaName(document.kind)) throw new Error(`no schema is published for ${document.kind}`);
  const check = new Ajv({ strict: false }).compile(jsonSchemaOf(document.kind));
  return check(document);
}

const CHANGE = { subject: 'cp-1:/x', action: 'update' as const, diff: '+a', after: PLAN_DIGEST };
const STEP = { number: 1, name: 'n', phase: 'p', node: '', why: 'w', changes: [CHANGE] };

/** Documents that need a cluster or a server, built as their commands build them. */
const DOCUMENTS: readonly (readonly [string, object])[] = [
  ['RunStatus', viewOf()],
  ['RunStatus', endedView()],
  ['RunStatus', viewOf({ execution: 'terminated', status: null })],
  [
    'RunList',
    {
      runs: [
        { workflowId: 'w', runId: 'r', cluster: 'c', phase: 'p', running: true, startedAtMs: 1 },
      ],
    },
  ],
  ['RunStarted', { workflowId: 'w', runId: 'r', cluster: 'c', target: 'ccm', next: 'n' }],
  ['BackgroundStarted', { verb: 'dev', pid: 7, logFile: 'l' }],
  ['CommandResult', { cluster: 'c', verb: 'pause', commandId: 'i', state: 'applied', detail: 'd' }],
  [
    'CheckReport',
    {
      ...{ cluster: { name: 'c', uid: 'u' }, observationDigest: PLAN_DIGEST, notChecked: ['x'] },
      checks: [{ section: 's', name: 'n', codes: ['CCM1001'], result: 'presumed' }],
      findings: [FINDING],
    },
  ],
  [
    'MigrationPlan',
    {
      ...{
        digest: PLAN_DIGEST,
        createdAt: 't',
        tool: 'x',
        fleet: 'f',
        target: 'kcm',
        inventoryFile: 'i.yaml',
      },
      ...{
        cluster: { name: 'c', uid: 'u', region: 'r' },
        policy: policyOf(),
        timings: TIMINGS,
        materials: { ccmManifest: 'kind: Pod' },
      },
      ...{ observation: {}, observationDigest: PLAN_DIGEST, findings: [FINDING], steps: [STEP] },
      notChecked: [],
      ending: { kind: 'done', findings: [] },
    },
  ],
];

describe('a command that fails', () => {
  it('a failing command prints its error as a document, with the next action and whether to retry', async () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const { stdout, stderr, exit } = await ran(['status', 'c1', '-o', 'json'], { env });
    const document = JSON.parse(stdout) as { kind: string };
    expect(document).toMatchObject({
      ...{ kind: 'CommandError', code: 'CCM4020', exit, retryable: false },
      message: expect.stringContaining('127.0.0.1:1'),
      next: expect.stringContaining('ccm-migrate dev'),
    });
    expect(accepted(document)).toBe(true);
    expect(stderr).toContain('CCM4020');
  });

  it.each([
    [['status', '--nonsense', '-o', 'json'], "unknown option '--nonsense'"],
    [['chek', '--output=json'], "unknown command 'chek'"],
    [['check', '-ojson', '--severity', 'loud'], 'Allowed choices'],
    [['completion', '-o', 'jsonl'], "missing required argument 'shell'"],
    [['pause', 'c', '-o', 'json'], '--reason is required'],
  ])('a wrong command line is reported as a document: %j', async (argv, message) => {
    const { stdout, exit } = await ran(argv);
    const document = JSON.parse(stdout) as { kind: string };
    expect(accepted(document)).toBe(true);
    expect(document).toMatchObject({
      ...{ kind: 'CommandError', code: null, exitStatus: 'usage', next: 'See --help.' },
      message: expect.stringContaining(message) as unknown,
    });
    expect(exit).toBe(64);
  });

  it('no error is printed when help was requested', async () => {
    const { stdout, exit } = await ran(['check', '-o', 'json', '--help']);
    expect(exit).toBe(0);
    expect(stdout).not.toContain('CommandError');
  });

  it('a configuration error lists each problem with its place', async () => {
    const { stdout, exit } = await ran(['lint', '/nowhere.yaml', '-o', 'json']);
    const document = JSON.parse(stdout) as { kind: string };
    expect(accepted(document)).toBe(true);
    expect({ ...document, exit }).toMatchObject({ exit: 65 });
  });

  it('a configuration error has the code of its first problem', async () => {
    const { stdout, exit } = await ran(['check', '-f', '/nowhere.yaml', '-o', 'json']);
    expect({ ...(JSON.parse(stdout) as object), exit }).toMatchObject({
      ...{ kind: 'CommandError', code: 'CCM5016', exit: 65, next: 'Correct the files.' },
      problems: [{ file: '/nowhere.yaml', code: 'CCM5016' }],
    });
  });

  it('an error names the cluster at which it occurred', () => {
    const error = refusalAt('sim-1', failure('Unavailable', 'get Namespace: no answer'));
    expect(commandError(error, 'failed')).toMatchObject({
      ...{ cluster: 'sim-1', code: 'CCM4011', retryable: true, exit: 1 },
      message: 'cluster sim-1: get Namespace: no answer',
    });
    expect(refusalAt('sim-1', error)).toBe(error);
    expect(commandError(new Error('odd'), 'failed')).toMatchObject({ code: null, message: 'odd' });
    expect(commandError(new UsageError('no flag'), 'usage')).toMatchObject({ exit: 64 });
  });
});

describe('documents of runs and plans', () => {
  it.each(DOCUMENTS)('the document %s matches its published schema', (kind, content) => {
    const document = { apiVersion: 'ccm-migrate.dev/v1alpha1', kind, ...content };
    expect(accepted(document)).toBe(true);
  });
});

describe('-o json', () => {
  it.each<[string, readonly string[]]>([
    ['LintReport', ['lint', 'config/examples/single-cluster']],
    ['LintReport', ['lint', 'package.json']],
    ['CodePage', ['explain', 'CCM4001']],
    ['CodeList', ['explain', '--list']],
    ['GateList', ['gates', 'list', '--kcm', '1.26', '--ccm', '1.29']],
    ['GatePage', ['gates', 'explain', 'nodeSyncErrors']],
    ['GatePage', ['gates', 'explain', 'cloudSight']],
    ['Version', ['version']],
    ['AuditVerification', ['audit', 'verify', 'package.json']],
  ])('the output %s matches its published schema', async (kind, argv) => {
    const { stdout } = await ran([...argv, '-o', 'json']);
    const document = JSON.parse(stdout) as { readonly kind: string };
    expect(document.kind).toBe(kind);
    expect(accepted(document)).toBe(true);
  });

  it('with -o jsonl the stream begins with its version', async () => {
    const { stdout } = await ran(['explain', 'CCM4001', '-o', 'jsonl']);
    const [first, second] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(first).toEqual({ type: 'version', schema: 'ccm-migrate.dev/v1alpha1' });
    expect(second).toMatchObject({ kind: 'CodePage', code: 'CCM4001' });
  });
});
