import { request } from 'node:http';
import { join } from 'node:path';
import { textAt } from '../../base/json.js';
import { stateFolder } from '../host/folders.js';
import { LabUnavailable } from '../host/lab-unavailable.js';
import { labOwner } from '../lifecycle/clean.js';
import { isRunning } from '../../../devserver/process-identity.js';

export const CONTROL_SOCKET = 'control.sock';

/** One request to the process of a running lab. @throws LabUnavailable when no such lab runs. */
export async function askLab(
  lab: number,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socketPath = join(stateFolder(lab), CONTROL_SOCKET);
    const sent = request({ socketPath, path, method }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (part: string) => (text += part));
      incoming.on('end', () => {
        const answer: unknown = JSON.parse(text);
        if (incoming.statusCode === 200) resolve(answer);
        else reject(new LabUnavailable(textAt(answer, 'message') || JSON.stringify(answer)));
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const none = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      reject(none ? new LabUnavailable(whyNobodyAnswers(lab)) : error);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A lab listens once everything is ready; one that a test holds never does. */
function whyNobodyAnswers(lab: number): string {
  const owner = labOwner(stateFolder(lab));
  if (!isRunning(owner)) return `no lab ${lab} is up. Start it: npm run lab -- up`;
  const pid = Number.parseInt(owner, 10);
  return `lab ${lab} belongs to process ${pid}, which is still starting it, or is a test. Wait, or stop that process, which also removes the lab: kill ${pid}`;
}
