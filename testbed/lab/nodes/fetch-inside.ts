import { mustRun } from '../../../devserver/run-program.js';
import type { Identity } from '../../base/auth/certificates.js';

/** Runs in a Node process of its own, because a process cannot move a single connection to another network namespace. */
const FETCH = `
const { request } = require('node:https');
let text = '';
process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const { url, cert, key } = JSON.parse(text);
  // Managers serve a self-signed certificate; on the node's own loopback the peer is known.
  request(url, { cert, key, rejectUnauthorized: false, timeout: 5000 }, (answer) => {
    process.stdout.write(String(answer.statusCode) + '\\n');
    answer.pipe(process.stdout);
  }).on('error', (error) => { console.error(error.message); process.exitCode = 1; }).end();
});
`;

/** Sends a request to a server on a node's loopback, as the client with this certificate. */
export async function fetchInside(
  networkNamespace: string,
  url: string,
  { certificatePem, privateKeyPem }: Identity,
): Promise<{ readonly status: number; readonly text: string }> {
  const words = [`--net=/run/netns/${networkNamespace}`, process.execPath, '-e', FETCH];
  const input = JSON.stringify({ url, cert: certificatePem, key: privateKeyPem });
  const answer = await mustRun('nsenter', words, { input });
  const end = answer.indexOf('\n');
  return { status: Number(answer.slice(0, end)), text: answer.slice(end + 1) };
}
