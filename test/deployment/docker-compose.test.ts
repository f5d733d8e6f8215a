import { describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTemporalCli } from '../../devserver/find-temporal-cli.js';
import { SEARCH_ATTRIBUTE_TYPES } from '../../devserver/namespace-setup.js';
import { runProgram } from '../../devserver/run-program.js';
import { startDevServer } from '../../devserver/start-dev-server.js';
import { readWorkerEnvironment, WORKER_ENVIRONMENT } from '../../config/environment.js';
import { composeFile, fileText, scriptOf } from './deployment-files.js';

const { services } = composeFile();
const named = Object.entries(services);
const lasting = named.filter(([, { restart }]) => restart === 'unless-stopped');

describe('docker-compose.yml', () => {
  it.each(named)('service %s runs a pinned image', (_name, { image, build }) => {
    if (build !== undefined) return;
    expect(image).toMatch(/^[\w/-]+:\d+(\.\d+)*$/);
  });

  it('docker-compose.yml runs the same server and UI as the dev server', () => {
    const module = fileText('tools/temporal/go.mod');
    const server = /go\.temporal\.io\/server v(\S+)/.exec(module)?.[1] ?? '';
    const ui = /temporalio\/ui-server\/v2 v(\S+)/.exec(module)?.[1] ?? '';
    expect(services['temporal']?.image).toBe(`temporalio/server:${server}`);
    expect(services['temporal-schema']?.image).toBe(`temporalio/admin-tools:${server}`);
    expect(services['temporal-namespace']?.image).toBe(`temporalio/admin-tools:${server}`);
    expect(services['temporal-ui']?.image).toBe(`temporalio/ui:${ui}`);
  });

  it('docker-compose.yml marks which services keep running and which complete', () => {
    expect(lasting.map(([name]) => name)).toEqual([
      'postgres',
      'temporal',
      'temporal-ui',
      'worker',
    ]);
  });

  it.each(lasting)('service %s has a health check and an init process', (_name, service) => {
    // The image of the worker has both: dockerfile.test.ts.
    if (service.build !== undefined) return;
    expect(service.healthcheck?.test.length).toBeGreaterThan(1);
    expect(service.init).toBe(true);
  });

  it.each(named)(
    'service %s waits until its dependencies are healthy or complete',
    (_name, { depends_on }) => {
      for (const [other, { condition }] of Object.entries(depends_on ?? {})) {
        const lasts = services[other]?.restart === 'unless-stopped';
        expect(condition).toBe(lasts ? 'service_healthy' : 'service_completed_successfully');
      }
    },
  );

  it.each(named)('service %s opens ports on the loopback address only', (_name, { ports = [] }) => {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it.each(named)(
    'service %s gets no secret that is written in the file',
    (_name, { environment = {} }) => {
      for (const [name, value] of Object.entries(environment)) {
        if (!/PASSWORD|PWD|SECRET|TOKEN|API_KEY$/.test(name)) continue;
        expect(value).toMatch(/^\$\{[A-Z_]+:\?.+\}$/);
      }
    },
  );

  it('docker-compose.yml sets the database password in three places, from one variable', () => {
    const password = /\$\{POSTGRES_PASSWORD:\?/g;
    expect(fileText('docker-compose.yml').match(password)).toHaveLength(3);
  });
});

describe("the worker's environment in docker-compose.yml", () => {
  const given = services['worker']?.environment ?? {};

  it('sets only variables that the worker reads', () => {
    const known: readonly string[] = Object.keys(WORKER_ENVIRONMENT);
    expect(Object.keys(given).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('is accepted by the worker unchanged', () => {
    const withDefaults = Object.entries(given).map(([name, value]) => [
      name,
      value.replace(/^\$\{[A-Z_]+:-(.*)\}$/, '$1'),
    ]);
    const read = readWorkerEnvironment(Object.fromEntries(withDefaults) as Record<string, string>);
    expect(read).toMatchObject({ kind: 'valid', environment: { health: { port: 9090 } } });
  });

  it('sets the health address that the image checks', () => {
    const address = given['CCM_MIGRATE_HEALTH_ADDRESS'] ?? 'none';
    expect(fileText('Dockerfile')).toContain(`CCM_MIGRATE_HEALTH_ADDRESS=${address}`);
  });
});

describe('the script that prepares the namespace', () => {
  it('creates it with 90 days of retention and our search attributes, and changes nothing when run again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'namespace-'));
    const { path } = await findTemporalCli({ env: process.env, report: () => undefined });
    const server = await startDevServer({ cliPath: path, logFile: join(folder, 'log') });
    try {
      await symlink(path, join(folder, 'temporal'));
      const env = {
        PATH: `${folder}:/usr/bin:/bin`,
        HOME: folder,
        TEMPORAL_ADDRESS: server.address,
        TEMPORAL_NAMESPACE: 'ccm-migrate',
      };
      const script = scriptOf(services['temporal-namespace']);
      for (const time of ['first', 'second']) {
        const { code, stderr } = await runProgram('/bin/sh', ['-euc', script], { env });
        expect({ time, code, stderr: code === 0 ? '' : stderr }).toEqual({
          time,
          code: 0,
          stderr: '',
        });
      }
      const operator = async (...args: string[]) =>
        (await runProgram(path, ['operator', ...args], { env })).stdout;
      expect(await operator('namespace', 'describe')).toMatch(/RetentionTtl\s+2160h/);
      const listed = await operator('search-attribute', 'list');
      for (const [name, type] of SEARCH_ATTRIBUTE_TYPES) {
        expect(listed).toMatch(new RegExp(`^ *${name} +${type}`, 'm'));
      }
    } finally {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }, 180_000);
});
