import { digestText } from '../../domain/digest.js';
import { fencedMutation } from '../fence/fenced-mutation.js';
import { fileName } from '../fence/find-effect.js';
import type { NodeFile } from '../ports.js';
import type { StepSession } from './step-session.js';
import { requestOptions } from './step-session.js';

/** What must be there when a file is written: its content's hash, or `absent`. */
export type Expected = string;

export const ABSENT: Expected = 'absent';

export async function readNodeFile(
  session: StepSession,
  node: string,
  path: string,
): Promise<NodeFile | null> {
  return session.ports.files.read(node, path, requestOptions(session));
}

/** Writes a file unless it is already so. Another content than expected is `ForeignEdit`. */
export async function writeNodeFile(
  session: StepSession,
  node: string,
  path: string,
  content: string,
  expect: Expected,
): Promise<void> {
  const after = digestText(content);
  if (after === expect) return;
  await fencedMutation(
    session,
    {
      verb: 'writeFile',
      object: fileName(node, path),
      before: expect === ABSENT ? '' : expect,
      after,
    },
    () =>
      session.ports.files.write(
        node,
        path,
        content,
        { expect, epoch: session.claim.epoch },
        requestOptions(session),
      ),
  );
}

/** Writes a file whose name tells its content, once: what is there under that name already is the same. */
export async function writeOnce(
  session: StepSession,
  node: string,
  path: string,
  content: string,
): Promise<void> {
  const present = await readNodeFile(session, node, path);
  if (present === null) await writeNodeFile(session, node, path, content, ABSENT);
  else if (present.content !== content) {
    await writeNodeFile(session, node, path, content, present.hash);
  }
}

/** Removes a file that must have the given content; `takeAway` for manifests that a kubelet runs. */
export async function removeNodeFile(
  session: StepSession,
  node: string,
  path: string,
  hash: string,
  verb: 'takeAway' | 'removeFile' = 'removeFile',
): Promise<void> {
  await fencedMutation(
    session,
    { verb, object: fileName(node, path), before: hash, after: '' },
    () =>
      session.ports.files.remove(
        node,
        path,
        { expect: hash, epoch: session.claim.epoch },
        requestOptions(session),
      ),
  );
}

/** Removes a file of ours if it is there. */
export async function dropNodeFile(
  session: StepSession,
  node: string,
  path: string,
): Promise<void> {
  const present = await readNodeFile(session, node, path);
  if (present !== null) await removeNodeFile(session, node, path, present.hash);
}
