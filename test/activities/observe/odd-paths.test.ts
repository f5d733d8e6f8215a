import { describe, expect, it } from '@jest/globals';
import { manifestPlaces } from '../../../activities/node-paths.js';
import { filesNamedBy, runningConfig } from '../../../activities/observe/manifest-reader.js';
import type { HostProcess, NodeFile, NodeSnapshot } from '../../../activities/ports.js';
import { digestText } from '../../../domain/digest.js';
import { compileLeaderMigration } from '../../../domain/managers/compile-leader-migration.js';
import { policyOf } from '../../support/cluster-builder.js';
import { kcmManifest, type WrittenKcm } from './kcm-manifest.js';

const { lock } = policyOf();
const { text: LEADER_MIGRATION } = compileLeaderMigration({
  manager: 'kcm',
  version: '1.30.14',
  lock,
});

const fileWith = (content: string): NodeFile => ({
  path: '/any',
  content,
  hash: digestText(content),
  mode: '0600',
  changedAtMs: 0,
});

const processWith = (words: readonly string[]): HostProcess => ({
  pid: 1,
  manager: 'kcm',
  startTicks: 1,
  startedAtMs: 1000,
  arguments: words,
  paused: false,
});

interface Beside {
  readonly hasManifest?: boolean;
  readonly files?: Readonly<Record<string, string>>;
}

/** A node whose KCM runs with these words, by its manifest or without one. */
function nodeWith(
  mounted: WrittenKcm,
  { hasManifest = true, files = {} }: Beside = {},
): NodeSnapshot {
  const [inPlace = ''] = manifestPlaces('kcm');
  const host = { hostname: 'cp-1', bootId: 'b', bootTimeMs: 0, nowMs: 0, kubelets: [] };
  return {
    host: { ...host, processes: [processWith(mounted.words)] },
    files: new Map([
      [inPlace, hasManifest ? fileWith(kcmManifest(mounted)) : null],
      ...Object.entries<string>(files).map(([path, content]) => [path, fileWith(content)] as const),
    ]),
    directories: new Map(),
    elections: { kcm: null, ccm: null },
  };
}

const ON = '--enable-leader-migration=true';
const PROVIDER = '--cloud-provider=labcloud';
const named = (path: string): readonly string[] => [
  PROVIDER,
  ON,
  `--leader-migration-config=${path}`,
];

describe('a node is asked for plain paths alone, and a manager that names another is unreadable by itself', () => {
  it.each([
    ['relative', 'lm.yaml'],
    ['doubled slashes', '/etc/kubernetes//lm.yaml'],
    ['a parent', '/etc/../lm.yaml'],
    ['a NUL', '/etc/lm\u0000.yaml'],
  ])('a Leader Migration file under an odd path is not read: %s', (_name, path) => {
    const snapshot = nodeWith({ words: named(path) }, { hasManifest: false });
    expect(filesNamedBy(snapshot)).toEqual({ files: [], directories: [] });
    const sources = { policy: policyOf(), snapshot, configMaps: new Map<string, string>() };
    const process = processWith(named(path));
    const config = runningConfig(process, {
      ...sources,
      images: new Map([['kcm', 'k:v1.30.14']]),
      workload: null,
    });
    expect(config.leaderMigration).toEqual({
      kind: 'unreadable',
      why: expect.stringContaining('was not read'),
    });
  });

  it.each(['cloud.conf', '/etc/../x/cloud.conf'])(
    'a cloud configuration under an odd path is not read: %s',
    (path) => {
      const words = [PROVIDER, `--cloud-config=${path}`];
      for (const mounted of [
        { words },
        { words, mount: 'mountPath: /etc', volume: 'hostPath: { path: /etc }' },
      ]) {
        const snapshot = nodeWith(mounted);
        expect(filesNamedBy(snapshot)).toEqual({ files: [], directories: [] });
        const sources = { policy: policyOf(), snapshot, configMaps: new Map<string, string>() };
        const process = processWith(words);
        const config = runningConfig(process, { ...sources, images: new Map(), workload: null });
        expect(config.cloudConfigHash).toBe(`unread:${path}`);
      }
    },
  );

  it.each([
    [
      'a file of a folder',
      'mountPath: /lm.yaml, subPath: sub/mine.yaml',
      '/lm.yaml',
      '/etc/lm/sub/mine.yaml',
    ],
    [
      'a folder of a folder',
      'mountPath: /in, subPath: sub/',
      '/in/mine.yaml',
      '/etc/lm/sub/mine.yaml',
    ],
    ['all of it', 'mountPath: /in', '/in/mine.yaml', '/etc/lm/mine.yaml'],
  ])('what a subPath mounts is read where it is on the node: %s', (_name, mount, path, onNode) => {
    const mounted = { words: named(path), mount, volume: 'hostPath: { path: /etc/lm }' };
    const snapshot = nodeWith(mounted, { files: { [onNode]: LEADER_MIGRATION } });
    expect(filesNamedBy(snapshot).files).toEqual([onNode]);
    const sources = { policy: policyOf(), snapshot, configMaps: new Map<string, string>() };
    const config = runningConfig(processWith(named(path)), {
      ...sources,
      images: new Map(),
      workload: null,
    });
    expect(config.leaderMigration.kind).toBe('on');
  });

  it('a key of a ConfigMap that a subPath mounts is that key', () => {
    const mounted = {
      words: named('/lm.yaml'),
      mount: 'mountPath: /lm.yaml, subPath: mine.yaml',
      volume: 'configMap: { name: lm }',
    };
    const configMaps = new Map([['lm/mine.yaml', LEADER_MIGRATION]]);
    const sources = { policy: policyOf(), snapshot: nodeWith(mounted), configMaps };
    const config = runningConfig(processWith(mounted.words), {
      ...sources,
      images: new Map(),
      workload: null,
    });
    expect(config.leaderMigration.kind).toBe('on');
  });
});
