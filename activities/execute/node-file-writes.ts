import { digestText } from '../../domain/digest.js';
import type { FencedAct } from '../fence/fenced-mutation.js';
import { fencedBatch, fencedMutation } from '../fence/fenced-mutation.js';
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

/** A file as it shall be, and what must be there when it is written. */
export interface WantedFile {
  readonly path: string;
  readonly content: string;
  readonly expect: Expected;
}

/** Writes a file unless it is already so. Another content than expected is `ForeignEdit`. */
export async function writeNodeFile(
  session: StepSession,
  node: string,
  path: string,
  content: string,
  expect: Expected,
): Promise<void> {
  await writeNodeFiles(session, node, [{ path, content, expect }]);
}

/** Several files that nothing reads yet, in any order, at once. */
export async function writeNodeFiles(
  session: StepSession,
  node: string,
  files: readonly WantedFile[],
): Promise<void> {
  await fencedBatch(session, fileWrites(session, node, files));
}

/** Writes of those files that are not so already, to be sent together with others. */
export function fileWrites(
  session: StepSession,
  node: string,
  files: readonly WantedFile[],
): readonly FencedAct[] {
  const wanted = files.filter(({ content, expect }) => digestText(content) !== expect);
  return wanted.map(({ path, content, expect }) => ({
    mutation: {
      verb: 'writeFile',
      object: fileName(node, path),
      before: expect === ABSENT ? '' : expect,
      after: digestText(content),
    },
    act: () =>
      session.ports.files.write(
        node,
        path,
        content,
        { expect, epoch: session.claim.epoch },
        requestOptions(session),
      ),
  }));
}

/** A file whose name tells its content: whatever is there under that name is replaced only if it differs. */
export async function namedByContent(
  session: StepSession,
  node: string,
  path: string,
  content: string,
): Promise<WantedFile> {
  const present = await readNodeFile(session, node, path);
  return { path, content, expect: present?.hash ?? ABSENT };
}

/** Takes away a manifest that a kubelet runs; it must have the content that was read. */
export async function takeAwayFile(
  session: StepSession,
  node: string,
  path: string,
  hash: string,
): Promise<void> {
  await fencedMutation(
    session,
    { verb: 'takeAway', object: fileName(node, path), before: hash, after: '' },
    () =>
      session.ports.files.remove(
        node,
        path,
        { expect: hash, epoch: session.claim.epoch },
        requestOptions(session),
      ),
  );
}

/** Removes files of ours that are there. */
export async function dropNodeFiles(
  session: StepSession,
  node: string,
  paths: readonly string[],
): Promise<void> {
  const present = await Promise.all(paths.map((path) => readNodeFile(session, node, path)));
  const files = present.filter((file) => file !== null);
  await fencedBatch(
    session,
    files.map(({ path, hash }) => ({
      mutation: { verb: 'removeFile', object: fileName(node, path), before: hash, after: '' },
      act: () =>
        session.ports.files.remove(
          node,
          path,
          { expect: hash, epoch: session.claim.epoch },
          requestOptions(session),
        ),
    })),
  );
}
