import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import { compiledProgram } from '../../devserver/package-files.js';
import type { Cli, Environment } from '../cli.js';
import { type AuditCheck, fail, unproven } from './audit-check.js';

/**
 * Replays each history against the workflow bundle that wrote it, of this installation or of the folder `--bundles`, in a separate
 * process: the worker library is large and native. Any other bundle proves nothing either way.
 */
export async function replayChecks(
  { workflowId, executions }: Pick<AuditExport, 'workflowId' | 'executions'>,
  { env, options }: Pick<Cli, 'env' | 'options'>,
): Promise<readonly AuditCheck[]> {
  const checks: AuditCheck[] = [];
  const bundles = options.text('bundles') ?? '';
  for (const [index, { history, buildId }] of executions.entries()) {
    const check = executions.length === 1 ? 'replay' : `replay of execution ${String(index + 1)}`;
    checks.push(await replayCheck(check, { workflowId, history, buildId, bundles }, env));
  }
  return checks;
}

async function replayCheck(check: string, order: object, env: Environment): Promise<AuditCheck> {
  const child = spawn(process.execPath, [compiledProgram('workers', 'replay.js')], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(order));
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return readAnswer(check, Buffer.concat(chunks).toString('utf8'));
}

function readAnswer(check: string, text: string): AuditCheck {
  const line = text.trim().split('\n').at(-1) ?? '';
  const [result = '', ...detail] = line.split(' ');
  switch (result) {
    case 'pass':
    case 'fail':
      return { check, result, detail: detail.join(' ') };
    case 'skipped':
      return unproven(check, detail.join(' '));
    default:
      return fail(check, 'the replay ended without a result');
  }
}
