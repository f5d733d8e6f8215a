import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { EvidenceIntent } from '../../../domain/evidence/record.js';
import { DAEMON_SET } from '../daemon-set-manifest.js';
import { type Environment, type EnvironmentOptions, openEnvironment } from '../environment.js';
import { simulatorPolicy } from '../simulator-policy.js';

jest.setTimeout(180_000);

const CANARY = 'canary-41';

/** What shows no content: the end of something, a copy, or a restart. */
const SHOWS_NOTHING =
  /^(takeAway|removeFile|removeMachine|evict|restartKubelet|endProcess) |\/(next|parked|backup)\/|^create ServiceAccount|^delete (ServiceAccount|Pod|DaemonSet)/;

describe('what evidence shows of each change', () => {
  let environment: Environment;
  afterEach(() => environment.close());

  async function intents(options: EnvironmentOptions): Promise<readonly EvidenceIntent[]> {
    environment = await openEnvironment(options);
    for (const { files } of environment.cluster.nodes()) {
      const path = '/etc/kubernetes/manifests/kube-controller-manager.yaml';
      const text = files.read(path)?.content ?? '';
      const secret = `$1env:\n$1- name: OS_PASSWORD\n$1  value: ${CANARY}\n$1image:`;
      if (text !== '') files.write(path, text.replace(/^( *)image:/m, secret));
    }
    await environment.migrate('ccm');
    await environment.migrate('kcm');
    const records = await environment.evidence();
    return records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
  }

  it.each<[string, EnvironmentOptions]>([
    ['in place', { spec: { nodes: 1 } }],
    ['replaced', { policy: { nodes: { forward: 'replace', rollback: 'replace' } } }],
    [
      'a DaemonSet',
      {
        spec: { nodes: 1 },
        policy: { ccm: { ...simulatorPolicy().ccm, deployAs: 'daemonSet' } },
        ccmManifest: DAEMON_SET,
      },
    ],
    [
      'workers',
      { spec: { nodes: 1, workers: 1 }, policy: { rollWorkers: { enabled: true, batchSize: 1 } } },
    ],
  ])('each text that is written is shown, without secrets: %s', async (_name, options) => {
    const all = await intents(options);
    const silent = all
      .filter(({ diff = '' }) => diff === '')
      .map(({ verb, object }) => `${verb} ${object}`);
    expect(silent.filter((each) => !SHOWS_NOTHING.test(each))).toEqual([]);
    expect(JSON.stringify(all)).not.toContain(CANARY);
    expect(JSON.stringify(all)).toContain('[redacted]');
  });

  it('a manifest is shown by the lines that differ from the one before', async () => {
    const all = await intents({ spec: { nodes: 1 } });
    const [first] = all.filter(
      ({ verb, object }) =>
        verb === 'writeFile' &&
        object.endsWith(':/etc/kubernetes/manifests/kube-controller-manager.yaml'),
    );
    const changed = (first?.diff ?? '').split('\n').filter((line) => /^[+-]/.test(line));
    expect(
      changed.map((line) => line.replace(/ +/g, ' ').replace(/-\w{12}\.yaml/, '.yaml')),
    ).toEqual([
      '+ - --enable-leader-migration=true',
      '+ - --leader-migration-config=/etc/kubernetes/ccm-migrate/leader-migration.yaml',
      '+ - name: ccm-migrate-leader-migration',
      '+ mountPath: /etc/kubernetes/ccm-migrate/leader-migration.yaml',
      '+ readOnly: true',
      '+ - name: ccm-migrate-leader-migration',
      '+ hostPath:',
      '+ path: /etc/kubernetes/ccm-migrate/leader-migration.yaml',
      '+ type: File',
    ]);
  });
});
