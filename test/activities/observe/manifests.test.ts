import { describe, expect, it } from '@jest/globals';
import { manifestReaderFor } from '../../../activities/observe/manifest-reader.js';
import { manifestState } from '../../../activities/observe/slots.js';
import type { FileReading, SlotFiles } from '../../../activities/observe/readings.js';
import { digestText } from '../../../domain/digest.js';
import { compileLeaderMigration } from '../../../domain/managers/compile-leader-migration.js';
import { policyOf } from '../../support/cluster-builder.js';

const ABSENT: FileReading = { kind: 'absent' };
const file = (text: string): FileReading => ({
  kind: 'text',
  text,
  hash: digestText(text),
  changedAtMs: 1000,
});
const compiled = compileLeaderMigration({
  manager: 'kcm',
  version: '1.30.14',
  lock: policyOf().lock,
});

function kcmManifest(flags: readonly string[], mount = ''): string {
  return [
    'apiVersion: v1',
    'kind: Pod',
    'metadata: { name: kube-controller-manager, namespace: kube-system }',
    'spec:',
    '  containers:',
    '    - name: kube-controller-manager',
    '      image: registry.k8s.io/kube-controller-manager:v1.30.14',
    `      command: [kube-controller-manager, ${flags.map((flag) => `"${flag}"`).join(', ')}]`,
    ...(mount === '' ? [] : [`      volumeMounts: [{ name: lm, mountPath: ${mount} }]`]),
    ...(mount === '' ? [] : [`  volumes: [{ name: lm, hostPath: { path: ${mount} } }]`]),
    '',
  ].join('\n');
}

const slots = (changes: Partial<SlotFiles>): SlotFiles => ({
  manifest: ABSENT,
  next: ABSENT,
  parked: ABSENT,
  ...changes,
});

function readerOf(kcm: SlotFiles, migrationFiles: ReadonlyMap<string, FileReading> = new Map()) {
  return manifestReaderFor({
    policy: policyOf(),
    slots: { kcm, ccm: slots({}) },
    migrationFiles,
    cloudConfigHashes: new Map(),
    configMaps: new Map(),
    images: new Map([['kcm', 'from-pod:v1.29.15']]),
    workload: null,
  });
}

describe('state of a manifest from the file layout', () => {
  const text = file(kcmManifest(['--cloud-provider=labcloud']));
  const bad = file('kind: [');
  const here = { kind: 'notHere' } as const;

  it.each([
    ['nothing', slots({}), false, 'absent'],
    ['a manifest in place', slots({ manifest: text }), true, 'present'],
    [
      'a manifest in place, its change not yet complete',
      slots({ manifest: text, next: text }),
      true,
      'present',
    ],
    ['a removed manifest, its successor not written', slots({ next: text }), false, 'interrupted'],
    ['a restore that was cut off', slots({ next: text, parked: text }), false, 'interrupted'],
    ['parked', slots({ parked: text }), false, 'parked'],
    [
      'a manifest in place and a parked copy: about to be parked',
      slots({ manifest: text, parked: text }),
      true,
      'present',
    ],
    ['a manifest that cannot be parsed', slots({ manifest: bad }), true, 'unknown'],
    ['a successor that cannot be parsed', slots({ next: bad }), false, 'unknown'],
    ['a process that nothing known starts', slots({}), true, 'unknown'],
  ] as const)(
    'the state of a manifest is read from the file layout: %s',
    (_name, files, runs, expected) => {
      const evidence = { manager: 'kcm', files, workload: here, runs } as const;
      expect(manifestState(evidence, readerOf(files)).state).toBe(expected);
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
    startedAtMs: 0,
    arguments: words,
    paused: false,
  } as const;
  const kindOf = (reader: ReturnType<typeof readerOf>): string =>
    reader.running(process).leaderMigration.kind;
  const inPlace = slots({ manifest: file(kcmManifest(words, path)) });

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
    [
      'its manifest is gone, but the file exists',
      slots({}),
      new Map([[path, file(compiled.text)]]),
      'on',
    ],
  ] as const)(
    'settings are read only from the file that the process was started with: %s',
    (_name, files, migrationFiles, expected) => {
      expect(kindOf(readerOf(files, migrationFiles))).toBe(expected);
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
      const files = slots({ manifest: file(kcmManifest(arguments_, handMade)) });
      const read = new Map([[handMade, { ...file(compiled.text), changedAtMs }]]);
      const started = { ...process, arguments: arguments_, startedAtMs: 1000 };
      const { leaderMigration } = readerOf(files, read).running(started);
      expect(leaderMigration.kind).toBe(expected);
    },
  );

  it('the image is that of the manifest with the same arguments, else that of the pod', () => {
    expect(readerOf(inPlace).running(process).version).toBe('1.30.14');
    const other = slots({ manifest: file(kcmManifest(['--cloud-provider=external'])) });
    const running = readerOf(other).running(process);
    expect(running).toMatchObject({ image: 'from-pod:v1.29.15', cloudProvider: 'labcloud' });
  });
});
