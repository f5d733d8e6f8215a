import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AuditExport } from '../../config/outputs/reports.js';
import type { Environment } from '../cli.js';
import { compiledProgram } from '../package-files.js';
import type { AuditCheck } from './verify-export.js';

/**
 * Replays the history against the workflow bundle of this installation, in a process of its own: the worker
 * library is large and native. Another bundle than the one that wrote the history is no proof either way.
 */
export async function replayCheck(content: AuditExport, env: Environment): Promise<AuditCheck> {
  const child = spawn(process.execPath, [compiledProgram('workers', 'replay.js')], {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { workflowId, history, bundleDigest } = content;
  child.stdin.end(JSON.stringify({ workflowId, history, bundleDigest }));
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return readAnswer(Buffer.concat(chunks).toString('utf8'));
}

function readAnswer(text: string): AuditCheck {
  const check = 'replay';
  const line = text.trim().split('\n').at(-1) ?? '';
  const [result = '', ...detail] = line.split(' ');
  switch (result) {
    case 'pass':
    case 'fail':
    case 'skipped':
      return { check, result, detail: detail.join(' ') };
    default:
      return { check, result: 'fail', detail: 'the replay ended without an answer' };
  }
}
