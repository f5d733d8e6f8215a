import { z } from 'zod';
import { digestText } from '../../domain/digest.js';
import { failure } from '../failures.js';
import type { NodeFile, NodeSnapshot, NodeWish } from '../ports.js';
import { DirectoryItems, FileAnswer, HostAnswer } from './node-answers.js';

const Elections = z.string().nullable();

/** Answer of `GET …/snapshot`, docs/contracts/node-access-api.md. */
export const SnapshotAnswer = z.object({
  host: HostAnswer,
  files: z.array(z.union([FileAnswer, z.object({ path: z.string(), content: z.null() })])),
  directories: z.array(z.object({ path: z.string(), items: DirectoryItems })),
  elections: z.object({ kcm: Elections, ccm: Elections }),
});

/** Everything requested, and consistent in itself: a missing part is never taken for an absent file. */
export function snapshotOf(
  what: string,
  answer: z.infer<typeof SnapshotAnswer>,
  wish: NodeWish,
): NodeSnapshot {
  const files = new Map<string, NodeFile | null>();
  for (const file of answer.files) {
    if (file.content === null) files.set(file.path, null);
    else files.set(file.path, checkedFile(what, file));
  }
  const directories = new Map(answer.directories.map(({ path, items }) => [path, items]));
  const missing = [
    ...wish.files.filter((path) => !files.has(path)),
    ...wish.directories.filter((path) => !directories.has(path)),
  ];
  if (missing.length > 0) {
    throw failure('Unavailable', `${what}: the answer does not mention ${missing.join(', ')}`);
  }
  return { host: answer.host, files, directories, elections: answer.elections };
}

/** A file whose hash is that of its content. */
export function checkedFile(what: string, file: z.infer<typeof FileAnswer>): NodeFile {
  if (digestText(file.content) === file.hash) return file;
  throw failure('Unavailable', `${what}: the hash of ${file.path} does not match its content`);
}
