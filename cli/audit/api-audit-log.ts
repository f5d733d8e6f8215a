import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { ApiWrite } from '../../domain/evidence/reconcile-requests.js';
import { UsageError } from '../cli-error.js';
import { member, parseJson } from '../read-json.js';
import { textIn } from './history-facts.js';

const WRITES: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/**
 * The writes of one user in an audit log of an API server (audit.k8s.io/v1 Events, one in a line), at level Metadata or above. Dry
 * runs and access reviews change nothing. @throws UsageError for a line that is no such event: a log that cannot be read proves nothing.
 */
export async function apiWrites(path: string, user: string): Promise<readonly ApiWrite[]> {
  const found: ApiWrite[] = [];
  let number = 0;
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      number += 1;
      if (line === '') continue;
      const event = parseJson(line);
      if (textIn(event, 'kind') !== 'Event') {
        throw new UsageError(`${path}, line ${String(number)}: no event of an audit log`);
      }
      const write = writeIn(event, user);
      if (write !== null) found.push(write);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--api-audit ${path} cannot be read`);
  }
  return found;
}

function writeIn(event: unknown, user: string): ApiWrite | null {
  const verb = textIn(event, 'verb');
  const object = member(event, 'objectRef');
  const isOurs = textIn(member(event, 'user'), 'username') === user;
  if (!isOurs || textIn(event, 'stage') !== 'ResponseComplete') return null;
  if (!WRITES.includes(verb) || textIn(event, 'requestURI').includes('dryRun=')) return null;
  if (textIn(object, 'resource').endsWith('reviews')) return null;
  const code = member(member(event, 'responseStatus'), 'code');
  return {
    atMs: Date.parse(textIn(event, 'requestReceivedTimestamp')),
    ...{ verb, object: nameOf(object, member(event, 'requestObject')) },
    succeeded: typeof code === 'number' && code < 300,
  };
}

/** A create may name its object in its body only. */
function nameOf(object: unknown, body: unknown): string {
  const [resource, below] = [textIn(object, 'resource'), textIn(object, 'subresource')];
  const own = textIn(object, 'name');
  const name = own === '' ? textIn(member(body, 'metadata'), 'name') : own;
  const namespace = resource === 'namespaces' ? '' : textIn(object, 'namespace');
  const path = namespace === '' ? name : `${namespace}/${name}`;
  return `${resource}${below === '' ? '' : `/${below}`} ${path}`;
}
