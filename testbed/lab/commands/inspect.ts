import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { ensureRelease } from '../binaries/binary-cache.js';
import { askLab } from '../daemon/control-client.js';
import type { ClusterDescription, LabDescription, NodeDescription } from '../describe-lab.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import type { Command } from './lab-command.js';

async function described(lab: number): Promise<LabDescription> {
  const answer = await askLab(lab, 'GET', '/status');
  if (isDescription(answer)) return answer;
  throw new Error(`lab ${lab} answered ${JSON.stringify(answer)}`);
}

/** This project wrote it; a lab of another version may have other fields. */
function isDescription(answer: unknown): answer is LabDescription {
  return typeof answer === 'object' && answer !== null && 'clusters' in answer;
}

async function chosenCluster({ words }: Command): Promise<ClusterDescription> {
  const { clusters } = await described(words.lab);
  const found = clusters.find(({ name }) => name === words.cluster);
  if (found !== undefined) return found;
  const names = clusters.map(({ name }) => name).join(', ');
  throw new LabUnavailable(`lab ${words.lab} has no cluster ${words.cluster}; it has ${names}`);
}

function nodeOf(cluster: ClusterDescription, name: string | undefined): NodeDescription {
  const found = cluster.nodes.find((node) => node.name === name);
  if (found !== undefined) return found;
  const names = cluster.nodes.map((node) => node.name).join(', ');
  throw new LabUnavailable(`cluster ${cluster.name} has no node ${name ?? ''}; it has ${names}`);
}

/** Prints what runs and how to reach it. */
export async function showStatus({ words }: Command): Promise<number> {
  const lab = await described(words.lab);
  const lines = [`lab ${lab.lab} in ${lab.folder}; cloud journal ${lab.cloudJournal}`];
  for (const cluster of lab.clusters) {
    lines.push('', `cluster ${cluster.name} at ${cluster.server}`);
    lines.push(`  kubeconfig   ${cluster.kubeconfig}`, `  audit log    ${cluster.auditLog}`);
    if (cluster.machinesApi !== null) lines.push(`  machines API ${cluster.machinesApi}`);
    if (cluster.prometheus !== null) lines.push(`  Prometheus   ${cluster.prometheus}`);
    for (const { name, version, running, ssh: access } of cluster.nodes) {
      const state = running ? 'running' : 'crashed';
      lines.push(
        `  ${name.padEnd(12)} ${version.padEnd(8)} ${state}  ${access.user}@${access.address}`,
      );
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

export async function ssh(command: Command): Promise<number> {
  const [name, ...words] = command.words.rest;
  const cluster = await chosenCluster(command);
  const { ssh: access } = nodeOf(cluster, name);
  const known = `${tmpdir()}/unused`;
  return inForeground('ssh', [
    ...['-i', access.keyFile, '-p', String(access.port), '-o', 'IdentitiesOnly=yes'],
    // The lab made this host key: nothing is trusted on first use.
    ...['-o', `UserKnownHostsFile=${known}`, '-o', 'StrictHostKeyChecking=yes'],
    ...['-o', `KnownHostsCommand=/bin/echo ${access.address} ${access.hostKey}`],
    ...['-o', 'LogLevel=ERROR', `${access.user}@${access.address}`, ...words],
  ]);
}

export async function kubectl(command: Command): Promise<number> {
  const { kubeconfig, nodes } = await chosenCluster(command);
  const version = nodes[0]?.version ?? command.words.up.to ?? '';
  const release = await ensureRelease(version, {
    env: command.env,
    report: (line) => void process.stderr.write(`${line}\n`),
  });
  return inForeground(release.program('kubectl'), [
    '--kubeconfig',
    kubeconfig,
    ...command.words.rest,
  ]);
}

/** All calls to the cloud so far. */
export async function journal({ words }: Command): Promise<number> {
  const { cloudJournal } = await described(words.lab);
  if (existsSync(cloudJournal)) {
    await pipeline(createReadStream(cloudJournal), process.stdout, { end: false });
  }
  return 0;
}

/** The real owners in the cluster so far, and where the sources contradict each other. */
export async function truth(command: Command): Promise<number> {
  const { name } = await chosenCluster(command);
  const path = `/truth?cluster=${encodeURIComponent(name)}`;
  const answer = await askLab(command.words.lab, 'GET', path);
  process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
  return 0;
}

export async function logs(command: Command): Promise<number> {
  const [name] = command.words.rest;
  const cluster = await chosenCluster(command);
  const nodes = name === undefined ? cluster.nodes : [nodeOf(cluster, name)];
  const lines = nodes.map(
    (node) => `${node.name.padEnd(12)} ${node.logs}/{kubelet,containerd,sshd}.log`,
  );
  process.stdout.write(`audit        ${cluster.auditLog}\n${lines.join('\n')}\n`);
  process.stdout.write('containers   npm run lab -- kubectl -n kube-system logs POD\n');
  return 0;
}

async function inForeground(program: string, words: readonly string[]): Promise<number> {
  const child = spawn(program, words, { stdio: 'inherit' });
  await once(child, 'exit');
  return child.exitCode ?? 1;
}
