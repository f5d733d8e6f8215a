import type { ClientRequest, IncomingMessage } from 'node:http';

/** Begins one request, over whatever transport reaches the server. */
type Send = (onAnswer: (response: IncomingMessage) => void) => ClientRequest;

/** The JSON of one response. @throws Error with the text of `refusal` for every status but 200 and 201. */
export async function askJson(
  send: Send,
  refusal: (status: number | undefined, body: string) => string,
): Promise<unknown> {
  const text = await new Promise<string>((resolve, reject) => {
    const call = send((response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8');
        if (response.statusCode === 200 || response.statusCode === 201) resolve(body);
        else reject(new Error(refusal(response.statusCode, body)));
      });
    });
    call.on('error', reject);
    call.end();
  });
  return JSON.parse(text) as unknown;
}
