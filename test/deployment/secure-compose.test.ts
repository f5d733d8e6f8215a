import { describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWorkerEnvironment } from '../../config/environment.js';
import { TEMPORAL_SERVER_VERSION } from '../../devserver/temporal-release.js';
import { packageFile } from '../../devserver/package-files.js';
import { mustRun } from '../../devserver/run-program.js';
import { composeFile, fileText, secureComposeFile } from './deployment-files.js';

const base = composeFile();
const secure = composeFile('docker-compose.secure.yml');
const { services } = secureComposeFile();
const makeCertificates = packageFile('deploy', 'secure', 'make-certificates.sh');

describe('docker-compose.secure.yml', () => {
  it.each(Object.keys(secure.services))('changes service %s of docker-compose.yml', (name) => {
    expect(Object.keys(base.services)).toContain(name);
    expect(secure.services[name]?.image).toBeUndefined();
    expect(secure.services[name]?.ports).toBeUndefined();
  });

  it('is of the release that its test builds', () => {
    expect(services['temporal']?.image).toBe(`temporalio/server:${TEMPORAL_SERVER_VERSION}`);
    expect(fileText('tools/temporal/go.mod')).toContain(
      `go.temporal.io/server v${TEMPORAL_SERVER_VERSION}`,
    );
  });

  it('has a worker that is accepted, and speaks to no server in plain text', () => {
    const { environment = {} } = services['worker'] ?? {};
    const plain = Object.entries(environment).filter(([, value]) => !value.startsWith('${'));
    const read = readWorkerEnvironment(Object.fromEntries(plain));
    expect(read).toMatchObject({
      kind: 'valid',
      environment: {
        payloadKeys: '/etc/ccm-migrate/payload.keys',
        temporal: { encrypted: true, apiKeyFile: '/run/worker-token/token' },
      },
    });
  });

  it('mounts the folder of the token that its worker reads again, not the file alone', () => {
    const { environment = {}, volumes = [], secrets = [] } = services['worker'] ?? {};
    const folder = (environment['TEMPORAL_API_KEY_FILE'] ?? '').split('/').slice(0, -1).join('/');
    expect(volumes.map((each) => String(each))).toContainEqual(
      expect.stringMatching(new RegExp(`/worker:${folder}:ro$`)),
    );
    expect(secrets).toEqual([]);
  });

  it('keeps what the dynamic configuration of docker-compose.yml says', () => {
    const [plain = '', more = ''] = [base, secure].map(
      ({ configs }) => configs['temporal-dynamic-config']?.content,
    );
    expect(more.startsWith(plain)).toBe(true);
  });

  it('names only certificates that its script makes, each key readable by its user alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-tls-'));
    try {
      for (const more of [[], ['ana']])
        await mustRun('/bin/sh', [makeCertificates, folder, ...more]);
      const made = await readdir(folder);
      const text = fileText('docker-compose.secure.yml');
      const named = new Set([...text.matchAll(/\/tls\/([\w.]+)/g)].map(([, name = '']) => name));
      expect([...named].filter((name) => !made.includes(name))).toEqual([]);
      expect(made).toContain('ana.crt');
      const first = await readFile(join(folder, 'worker.crt'), 'utf8');
      await mustRun('/bin/sh', [makeCertificates, folder]);
      expect(await readFile(join(folder, 'worker.crt'), 'utf8')).toBe(first);
      const listed = await mustRun('find', [folder, '-name', '*.key', '!', '-perm', '600']);
      expect(listed).toBe('');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
