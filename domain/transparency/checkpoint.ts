/** How far a log had come: C2SP tlog-checkpoint (https://c2sp.org/tlog-checkpoint). */
export interface Checkpoint {
  /** Names the log, in all places and for all time. */
  readonly origin: string;
  /** Number of its entries. */
  readonly size: number;
  /** Hash of its tree then, in base64. */
  readonly root: string;
}

/** A checkpoint with its signatures, as a signed note (https://c2sp.org/signed-note) carries them. */
export interface SignedCheckpoint extends Checkpoint {
  /** The text that is signed. */
  readonly body: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  /** In base64: four bytes that name the key, then the signature. */
  readonly value: string;
}

const ORIGIN = /^[\w.@/-]{1,128}$/;
const NOTE = /^(?<body>(?:[^\n]+\n){3})\n(?<signed>(?:[^\n]+\n)+)$/;
const BODY =
  /^(?<origin>[\w.@/-]{1,128})\n(?<size>0|[1-9]\d{0,14})\n(?<root>[A-Za-z0-9+/]{43}=)\n$/;
const SIGNATURE = /^— (?<name>\S{1,256}) (?<value>[A-Za-z0-9+/]{4,4096}={0,2})$/;
const MOST_SIGNATURES = 16;

/** Names that stand in checkpoints, policies and messages alike. */
export function isLogOrigin(text: string): boolean {
  return ORIGIN.test(text);
}

export function checkpointBody({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${String(size)}\n${root}\n`;
}

export function noteText(body: string, signatures: readonly NoteSignature[]): string {
  return `${body}\n${signatures.map(({ name, value }) => `— ${name} ${value}\n`).join('')}`;
}

/** Null for anything but a signed checkpoint of three lines: what is signed is then what was read. */
export function readCheckpoint(text: string): SignedCheckpoint | null {
  const note = NOTE.exec(text)?.groups;
  const checkpoint = checkpointIn(note?.['body'] ?? '');
  const signatures = signaturesIn(note?.['signed'] ?? '');
  return checkpoint === null || signatures === null ? null : { ...checkpoint, signatures };
}

function checkpointIn(body: string): Omit<SignedCheckpoint, 'signatures'> | null {
  const { origin, size, root } = BODY.exec(body)?.groups ?? {};
  if (origin === undefined || root === undefined) return null;
  return { origin, size: Number(size), root, body };
}

function signaturesIn(signed: string): readonly NoteSignature[] | null {
  const lines = signed.split('\n').slice(0, -1);
  if (lines.length === 0 || lines.length > MOST_SIGNATURES) return null;
  const read = lines.flatMap((line) => {
    const { name, value } = SIGNATURE.exec(line)?.groups ?? {};
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  return read.length === lines.length ? read : null;
}
