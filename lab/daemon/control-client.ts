import { request } from 'node:http';
import { join } from 'node:path';
import { stateFolder } from '../host/folders.js';
import { LabUnavailable } from '../host/lab-unavailable.js';

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
        else reject(new LabUnavailable(messageIn(answer)));
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const none = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
      const text = `no lab ${lab} is up. Start it: npm run lab -- up`;
      reject(none ? new LabUnavailable(text) : error);
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function messageIn(answer: unknown): string {
  return typeof answer === 'object' && answer !== null && 'message' in answer
    ? String(answer.message)
    : JSON.stringify(answer);
}
