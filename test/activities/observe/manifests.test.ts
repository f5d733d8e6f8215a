import { describe, expect, it } from '@jest/globals';
import { manifestPlaces } from '../../../activities/node-paths.js';
import type { ProcessSources } from '../../../activities/observe/manifest-reader.js';
import { runningConfig } from '../../../activities/observe/manifest-reader.js';
import { manifestState } from '../../../activities/observe/slots.js';
import type { NodeFile } from '../../../activities/ports.js';
import { digestText } from '../../../domain/digest.js';
import { compileLeaderMigration } from '../../../domain/managers/compile-leader-migration.js';
import { policyOf } from '../../support/cluster-builder.js';
import { kcmManifest } from './kcm-manifest.js';

const file = (content: string): NodeFile => ({
  path: '/any',
  content,
  hash: digestText(content),
  mode: '0600',
  changedAtMs: 1000,
});
const compiled = compileLeaderMigration({
  manager: 'kcm',
  version: '1.30.14',
  lock: policyOf().lock,
});

/** With one folder of the host mounted at its own path; none where empty. */
function manifestOf(words: readonly string[], path = ''): string {
  if (path === '') return kcmManifest({ words });
  return kcmManifest({ words, mount: `mountPath: ${path}`, volume: `hostPath: { path: ${path} }` });
}

interface Slot {
  readonly manifest?: NodeFile;
  readonly next?: NodeFile;
  readonly parked?: NodeFile;
}

function sourcesOf(
  { manifest, next, parked }: Slot,
  migrationFiles: ReadonlyMap<string, NodeFile> = new Map(),
): ProcessSources {
  const kcm = [manifest, next, parked];
  const host = { hostname: 'cp-1', bootId: 'b', bootTimeMs: 0, nowMs: 0 };
  return {
    policy: policyOf(),
    snapshot: {
      host: { ...host, processes: [], kubelets: [] },
      files: new Map([
        ...manifestPlaces('kcm').map((path, index) => [path, kcm[index] ?? null] as const),
        ...migrationFiles,
      ]),
      directories: new Map(),
      elections: { kcm: null, ccm: null },
    },
    configMaps: new Map(),
    images: new Map([['kcm', 'from-pod:v1.29.15']]),
    workload: null,
  };
}

describe('state of a manifest from the file layout', () => {
  const text = file(manifestOf(['--cloud-provider=labcloud']));
  const bad = file('kind: [');

  it.each([
    ['nothing', {}, false, 'absent'],
    ['a manifest in place', { manifest: text }, true, 'present'],
    [
      'a manifest in place, its change not yet complete',
      { manifest: text, next: text },
      true,
      'present',
    ],
    ['a removed manifest, its successor not written', { next: text }, false, 'interrupted'],
    ['a restore that was cut off', { next: text, parked: text }, false, 'interrupted'],
    ['parked', { parked: text }, false, 'parked'],
    [
      'a manifest in place and a parked copy: about to be parked',
      { manifest: text, parked: text },
      true,
      'present',
    ],
    ['a manifest that cannot be parsed', { manifest: bad }, true, 'unknown'],
    ['a successor that cannot be parsed', { next: bad }, false, 'unknown'],
    ['a process that nothing known starts', {}, true, 'unknown'],
  ] as const)(
    'the state of a manifest is read from the file layout: %s',
    (_name, files, runs, expected) => {
      const state = manifestState('kcm', { workload: null, runs }, sourcesOf(files));
      expect(state.state).toBe(expected);
    },
  );
});

describe('settings that a process runs with', () => {
  const path = `/etc/kubernetes/ccm-migrate/${compiled.fileName}`;
  const words = [
    '--cloud-provider=labcloud',
    '--enable-leader-migration=true',
    `--leader-migration-config=${path}`,
  ];
  const process = {
    pid: 1,
    manager: 'kcm',
    startTicks: 0,
    startedAtMs: 0,
    arguments: words,
    paused: false,
  } as const;
  const kindOf = (sources: ProcessSources): string =>
    runningConfig(process, sources).leaderMigration.kind;
  const inPlace = { manifest: file(manifestOf(words, path)) };

  it.each([
    [
      'the file has the content that its name promises',
      inPlace,
      new Map([[path, file(compiled.text)]]),
      'on',
    ],
    [
      'the file was edited after the start (P20)',
      inPlace,
      new Map([[path, file(`${compiled.text}#`)]]),
      'unreadable',
    ],
    ['the file is gone', inPlace, new Map(), 'unreadable'],
    ['its manifest is gone, but the file exists', {}, new Map([[path, file(compiled.text)]]), 'on'],
  ] as const)(
    'settings are read only from the file that the process was started with: %s',
    (_name, files, migrationFiles, expected) => {
      expect(kindOf(sourcesOf(files, migrationFiles))).toBe(expected);
    },
  );

  it.each([
    ['changed before the process started', 999, 'on'],
    ['changed as it started', 1000, 'on'],
    ['changed after that', 1001, 'unreadable'],
  ] as const)(
    "a file under the operator's own name counts unless it changed after the start: it %s",
    (_name, changedAtMs, expected) => {
      const handMade = '/etc/kubernetes/leader-migration.conf';
      const arguments_ = words.map((word) => word.replace(path, handMade));
      const files = { manifest: file(manifestOf(arguments_, handMade)) };
      const read = new Map([[handMade, { ...file(compiled.text), changedAtMs }]]);
      const started = { ...process, arguments: arguments_, startedAtMs: 1000 };
      const { leaderMigration } = runningConfig(started, sourcesOf(files, read));
      expect(leaderMigration.kind).toBe(expected);
    },
  );

  it('the image is that of the manifest with the same arguments, else that of the pod', () => {
    expect(runningConfig(process, sourcesOf(inPlace)).version).toBe('1.30.14');
    const other = { manifest: file(manifestOf(['--cloud-provider=external'])) };
    const running = runningConfig(process, sourcesOf(other));
    expect(running).toMatchObject({ image: 'from-pod:v1.29.15', cloudProvider: 'labcloud' });
  });
});
