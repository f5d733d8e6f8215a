import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { ensureRelease } from '../binaries/binary-cache.js';
import { missingPackages } from '../host/debian-packages.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import { probeHost } from '../host/probe-host.js';
import { lacks } from '../host/requirements.js';
import { mustRun } from '../../../devserver/run-program.js';
import type { Command } from './lab-command.js';

/** Debian's way to install a package without starting its services (deb-systemd-invoke, invoke-rc.d(8)). */
const START_POLICY = '/usr/sbin/policy-rc.d';

/**
 * This machine cannot run a lab, whatever is installed (EX_UNAVAILABLE of sysexits.h); scripts distinguish it from a
 * failure.
 */
const NOT_HERE = 69;

/** Installs missing packages and builds missing versions; reports each action and never prompts. */
export async function prepare({ words, env }: Command): Promise<number> {
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const before = await probeHost(env);
  if (before.platform === 'linux' && before.userId === 0) {
    await installPackages(missingPackages(before.isThere), env, report);
  }
  const problems = lacks(await probeHost(env), { build: true });
  if (problems.length > 0) {
    report(`lab: ${problems.join('\n')}`);
    return NOT_HERE;
  }
  for (const version of new Set([words.up.from ?? '', words.up.to ?? ''])) {
    const release = await ensureRelease(version, { env, report });
    report(`Kubernetes ${version}: ${release.bin}`);
  }
  report('Everything is installed. Start a lab: npm run lab -- up');
  return 0;
}

async function installPackages(
  missing: ReturnType<typeof missingPackages>,
  env: Command['env'],
  report: (line: string) => void,
): Promise<void> {
  if (missing.length === 0) {
    report('All Debian packages are installed.');
    return;
  }
  if (!existsSync('/usr/bin/apt-get')) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new LabUnavailable(`This is not Debian; install the equivalents of ${names} by hand.`);
  }
  for (const { name, why } of missing) report(`installing ${name}: ${why}`);
  const isOurs = !existsSync(START_POLICY);
  // The lab starts its own etcd and sshd; the machine's services must not start.
  if (isOurs) writeFileSync(START_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    const quietly = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' } };
    await mustRun('apt-get', ['update', '-q'], quietly);
    const names = missing.map(({ name }) => name);
    const words = ['install', '-q', '-y', '--no-install-recommends', ...names];
    await mustRun('apt-get', words, quietly);
  } finally {
    if (isOurs) rmSync(START_POLICY, { force: true });
  }
}
