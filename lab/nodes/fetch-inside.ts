import { mustRun } from '../host/run-program.js';
import type { Identity } from '../../simulator/auth/certificates.js';

/** Run by a Node of its own, for no process can enter a network namespace with only one of its connections. */
const FETCH = `
const { request } = require('node:https');
let text = '';
process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const { url, cert, key } = JSON.parse(text);
  // Managers serve a certificate that they made for themselves; who is on the loopback of the node is who is asked.
  request(url, { cert, key, rejectUnauthorized: false, timeout: 5000 }, (answer) => {
    process.stdout.write(String(answer.statusCode) + '\\n');
    answer.pipe(process.stdout);
  }).on('error', (error) => { console.error(error.message); process.exitCode = 1; }).end();
});
`;

/** Asks something that listens on a node's loopback, as the client with this certificate. */
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
