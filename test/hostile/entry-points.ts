import { refusedAnswer } from '../../activities/adapters/http/answer-failure.js';
import { listPartOf, objectOf, watchLine } from '../../activities/adapters/http/api-answers.js';
import {
  LIST_LIMIT,
  OBJECT_LIMIT,
  PAGE_LIMIT,
  jsonObject,
} from '../../activities/adapters/http/http.js';
import { HostAnswer, SnapshotAnswer } from '../../activities/adapters/machines/node-access-http.js';
import { seenHost } from '../../activities/adapters/ssh/host-answer.js';
import { answerLines, seenFiles } from '../../activities/adapters/ssh/remote-answer.js';
import { failure } from '../../activities/failures.js';
import { breachLines, readFence } from '../../activities/fence/fence-record.js';
import { hostnameOf } from '../../activities/lease-reading.js';
import { readBaseline } from '../../activities/observe/baseline.js';
import { observeKubeadm } from '../../activities/observe/control-plane.js';
import { writtenProvider } from '../../activities/observe/kubelet-flags.js';
import { readIdToken } from '../../activities/authority/id-token.js';
import { lockRole } from '../../activities/observe/lock-role.js';
import { isEtcdExternal } from '../../activities/observe/read-cached.js';
import { LONGEST_TOKEN } from '../../domain/authority/signed-envelope.js';
import { MOST_PAGE_CHARACTERS, parseExposition } from '../../domain/gates/samples/exposition.js';
import type { WantedMetric } from '../../domain/gates/samples/metric-families.js';
import { managerConfig } from '../../domain/managers/manager-arguments.js';
import { parseLeaderMigration } from '../../domain/managers/parse-leader-migration.js';
import { editClusterConfiguration } from '../../domain/manifests/cluster-configuration.js';
import { readManagerManifest } from '../../domain/manifests/manifest.js';
import { redact } from '../../domain/redaction.js';
import { maskEnvironment } from '../../domain/yaml/mask-environment.js';

/** Where a text from a cluster or node enters, and how long it may be there: everything that is let in gets parsed. */
export interface EntryPoint {
  readonly name: string;
  /** Lengths: the longest text that is let in, and where fewer parts are read, one that consists of parts only. */
  readonly characters: readonly number[];
  readonly read: (text: string, bytes: Buffer) => unknown;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** Largest object that etcd accepts, and so the largest text in one. */
const OBJECT_TEXT = 1.5 * MIB;
const YAML_TEXTS = [OBJECT_TEXT, 64 * KIB, 16 * KIB];
/** Names that begin as many lines of the shapes do. */
const WANTED: readonly WantedMetric[] = [
  { name: 'leader_election_master_status', type: 'gauge' },
  { name: 'a', type: 'counter' },
  { name: 'k1', type: 'histogram' },
];
const NODES = { apiVersion: 'v1', kind: 'Node' } as const;

const json = (text: string): Readonly<Record<string, unknown>> =>
  jsonObject('get', 'application/json', text);
const [BEGIN, END] = [Buffer.from('begin t\n'), Buffer.from('\nend t\n')];
const answer = (bytes: Buffer): readonly string[] =>
  answerLines('look', { token: 't', script: '' } as never, {
    stdout: Buffer.concat([BEGIN, bytes, END]),
    stderr: '',
    exitCode: 0,
  });
const HOST = `host aG9zdA== 00000000-0000-0000-0000-000000000000 1 1 1790000000000000000 1.00`;

export const ENTRY_POINTS: readonly EntryPoint[] = [
  {
    name: 'the words of a refusal',
    characters: [OBJECT_LIMIT],
    read: (text) => refusedAnswer(403, text, null, ['secret']),
  },
  { name: 'an object', characters: [OBJECT_LIMIT], read: (text) => objectOf('get', json(text)) },
  {
    name: 'a list',
    characters: [LIST_LIMIT],
    read: (text) => listPartOf('list', json(text), NODES),
  },
  { name: 'a watch event', characters: [OBJECT_LIMIT], read: (text) => watchLine(NODES, text) },
  {
    name: 'a host by HTTP',
    characters: [OBJECT_LIMIT],
    read: (text) => HostAnswer.safeParse(json(text)),
  },
  {
    name: 'a snapshot by HTTP',
    characters: [OBJECT_LIMIT],
    read: (text) => SnapshotAnswer.safeParse(json(text)),
  },
  {
    name: 'a host by SSH',
    characters: [1.5 * MIB],
    read: (_text, bytes) => seenHost('look', [HOST, ...answer(bytes)]),
  },
  {
    name: 'files by SSH',
    characters: [1.5 * MIB],
    read: (_text, bytes) => seenFiles('look', answer(bytes)),
  },
  {
    name: 'a metrics page',
    characters: [PAGE_LIMIT],
    read: (text) => lockRole(text, 'l1'),
  },
  {
    name: 'a metrics page of gates',
    characters: [MOST_PAGE_CHARACTERS],
    read: (text) => parseExposition(`${text}\n`.slice(-MOST_PAGE_CHARACTERS), WANTED),
  },
  { name: 'a manifest', characters: YAML_TEXTS, read: (text) => readManagerManifest(text) },
  {
    name: 'a Leader Migration file',
    characters: YAML_TEXTS,
    read: (text) => parseLeaderMigration(text, 30),
  },
  { name: 'a kubelet’s flags', characters: YAML_TEXTS, read: (text) => writtenProvider(text) },
  {
    name: 'kubeadm’s configuration',
    characters: YAML_TEXTS,
    read: (text) => [
      isEtcdExternal({ configMap: 'present', clusterConfiguration: text }),
      observeKubeadm({ configMap: 'present', clusterConfiguration: text }, []),
    ],
  },
  {
    name: 'kubeadm’s configuration, edited',
    characters: YAML_TEXTS,
    read: (text) =>
      editClusterConfiguration(text, { extraArgs: { a: 'b' }, addVolumes: [], removeVolumes: [] }),
  },
  { name: 'a manifest to show', characters: YAML_TEXTS, read: maskEnvironment },
  {
    name: 'the arguments of a manager',
    characters: YAML_TEXTS,
    read: (text) => managerConfig(...argumentsOf(text)),
  },
  {
    name: 'the fence’s annotations',
    characters: [OBJECT_TEXT],
    read: (text) =>
      breachLines(readFence({ ...NODES, metadata: { annotations: notes(text) } }).breach),
  },
  { name: 'a holder', characters: [OBJECT_TEXT], read: hostnameOf },
  {
    name: 'a baseline',
    characters: [OBJECT_TEXT],
    read: (text) => readBaseline({ data: { inventory: text, manifest: text } }),
  },
  { name: 'a line of a log', characters: [256 * KIB], read: (text) => redact(text) },
  {
    // Header and claims, each of half of the longest token.
    name: 'a token that signs',
    characters: [(LONGEST_TOKEN / 2) * 0.75 - 8],
    read: (_text, bytes) => {
      const part = bytes.toString('base64url');
      return readIdToken(`${part}.${part}.AAAA`);
    },
  },
  {
    name: 'the message of a failure',
    characters: [OBJECT_LIMIT],
    read: (text) => failure('Unavailable', text),
  },
];

/** Of one process; a process with more is not read at all. */
const MOST_WORDS = 2000;

function argumentsOf(text: string): Parameters<typeof managerConfig> {
  const words = text.split(/[\s,]+/, MOST_WORDS).map((word) => `--${word}`);
  const command = { image: text.slice(0, 4096), arguments: [...words, text.slice(0, 4096)] };
  return ['kcm', command, { leaderMigrationFile: text, cloudConfigHash: text }];
}

function notes(text: string): Record<string, string> {
  const names = ['breach', 'acknowledged', 'ended', 'epoch', 'mode'];
  return Object.fromEntries(names.map((name) => [`ccm-migrate.dev/${name}`, text]));
}
