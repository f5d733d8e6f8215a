import { digestText } from '../../domain/digest.js';
import type { FencedAct } from '../fence/fenced-mutation.js';
import { fencedBatch, fencedMutation } from '../fence/fenced-mutation.js';
import { fileName } from '../fence/find-effect.js';
import type { NodeFile } from '../ports.js';
import type { StepSession } from './step-session.js';
import { requestOptions } from './step-session.js';

/** Required current content when a file is written: its hash, or `absent`. */
export type Expected = string;

export const ABSENT: Expected = 'absent';

export async function readNodeFile(
  session: StepSession,
  node: string,
  path: string,
): Promise<NodeFile | null> {
  return session.ports.files.read(node, path, requestOptions(session));
}

/** A file's wanted content, and the required current content. */
export interface WantedFile {
  readonly path: string;
  readonly content: string;
  readonly expect: Expected;
  /** For a manager, which may not run as root; others are read by a kubelet or by us. */
  readonly isForAll?: boolean;
  /** What is shown of the change; nothing for a copy. */
  readonly diff?: string;
}

/** Writes files, in parallel, unless they already have that content. Unexpected content is `ForeignEdit`. */
export async function writeNodeFiles(
  session: StepSession,
  node: string,
  files: readonly WantedFile[],
): Promise<void> {
  await fencedBatch(session, fileWrites(session, node, files));
}

/** The writes needed for these files, to be sent together with others. */
export function fileWrites(
  session: StepSession,
  node: string,
  files: readonly WantedFile[],
): readonly FencedAct[] {
  const wanted = files.filter(({ content, expect }) => digestText(content) !== expect);
  return wanted.map(({ path, content, expect, isForAll = false, diff = '' }) => ({
    mutation: {
      verb: 'writeFile',
      object: fileName(node, path),
      before: expect === ABSENT ? '' : expect,
      after: digestText(content),
      diff,
    },
    act: () =>
      session.ports.files.write(
        node,
        path,
        content,
        { expect, epoch: session.token.epoch, isForAll },
        requestOptions(session),
      ),
  }));
}

/** A file named by its content: an existing one is replaced only if it differs. */
export async function namedByContent(
  session: StepSession,
  node: string,
  path: string,
  content: string,
): Promise<WantedFile> {
  const present = await readNodeFile(session, node, path);
  return { path, content, expect: present?.hash ?? ABSENT };
}

/** Removes a manifest that a kubelet runs; it must still have the content that was read. */
export async function removeFile(
  session: StepSession,
  node: string,
  path: string,
  hash: string,
): Promise<void> {
  const { mutation, act } = removal(session, 'takeAway', node, { path, hash });
  await fencedMutation(session, mutation, act);
}

function removal(
  session: StepSession,
  verb: 'takeAway' | 'removeFile',
  node: string,
  { path, hash }: Pick<NodeFile, 'path' | 'hash'>,
): FencedAct {
  const guard = { expect: hash, epoch: session.token.epoch };
  return {
    mutation: { verb, object: fileName(node, path), before: hash, after: '' },
    act: () => session.ports.files.remove(node, path, guard, requestOptions(session)),
  };
}

/** Removes those of our files that exist. */
export async function dropNodeFiles(
  session: StepSession,
  node: string,
  paths: readonly string[],
): Promise<void> {
  const present = await Promise.all(paths.map((path) => readNodeFile(session, node, path)));
  const files = present.filter((file) => file !== null);
  await fencedBatch(
    session,
    files.map((file) => removal(session, 'removeFile', node, file)),
  );
}
