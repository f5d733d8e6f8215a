import { isLoopback } from './host-port.js';
import { readSecretFile, readSmallFile } from './small-file.js';

/** Where workers share their evidence. What is secret is in files. */
export interface EvidenceDatabase {
  readonly user: string;
  /** Name, address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  /** Whether the server must prove its name. */
  readonly encrypted: boolean;
  /** Paths; empty when unset. */
  readonly passwordFile: string;
  readonly authorityFile: string;
}

/** The same with what its files hold. */
export interface EvidenceAccess extends EvidenceDatabase {
  /** Empty where the server asks for none. */
  readonly password: string;
  /** PEM; null for the authorities that Node.js knows. */
  readonly authority: string | null;
}

export type ReadDatabaseUrl =
  | { readonly kind: 'valid'; readonly database: EvidenceDatabase }
  /** Never quotes the URL: it may hold a password. */
  | { readonly kind: 'invalid'; readonly why: string };

const SHAPE =
  /^postgres(?:ql)?:\/\/([^:@/?#]+)@(\[[0-9a-f:]+\]|[^@:/?#[\]]+):(\d{1,5})\/([^/?#]+)$/i;
const FORM = 'postgresql://user@host:port/database';

/** `postgresql://user@host:port/database`; the host may be the folder of a socket, with `%2F` for each slash. */
export function readDatabaseUrl(
  url: string,
  files: Pick<EvidenceDatabase, 'passwordFile' | 'authorityFile'>,
): ReadDatabaseUrl {
  const why = refusedPart(url);
  if (why !== null) return { kind: 'invalid', why };
  const [, user = '', host = '', port = '', database = ''] = SHAPE.exec(url) ?? [];
  const place = {
    user: decoded(user),
    host: decoded(host.replace(/^\[|\]$/g, '')),
    port: Number(port),
    database: decoded(database),
  };
  if (!isWhole(place)) return { kind: 'invalid', why: `must be ${FORM}` };
  const isHere = isLoopback(place.host) || place.host.startsWith('/');
  const encrypted = files.authorityFile !== '' || !isHere;
  return { kind: 'valid', database: { ...place, encrypted, ...files } };
}

/** Why a URL is refused before it is read; null where its shape decides. */
function refusedPart(url: string): string | null {
  if (/^[a-z]+:\/\/[^@]*:.*@/i.test(url)) {
    return 'holds a password: name its file in CCM_MIGRATE_EVIDENCE_PASSWORD_FILE instead';
  }
  return /[?#]/.test(url)
    ? `must be ${FORM} without options: TLS is always verified, and limits are ours`
    : null;
}

type PlaceOfDatabase = Pick<EvidenceDatabase, 'user' | 'host' | 'port' | 'database'>;

function isWhole(place: Record<keyof PlaceOfDatabase, unknown>): place is PlaceOfDatabase {
  const { user, host, port, database } = place;
  const isPort = typeof port === 'number' && port >= 1 && port <= 65_535;
  return isPort && [user, host, database].every((text) => typeof text === 'string' && text !== '');
}

/** Null for what is not percent-encoded text, and for control characters. */
function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return /\p{Cc}/u.test(plain) ? null : plain;
  } catch {
    return null;
  }
}

const LARGEST_PASSWORD_BYTES = 4 * 1024;
const LARGEST_AUTHORITY_BYTES = 1024 * 1024;

/** Reads the files of a database. @throws Error in plain words; it never quotes them */
export async function openEvidenceAccess(database: EvidenceDatabase): Promise<EvidenceAccess> {
  const { passwordFile, authorityFile } = database;
  return {
    ...database,
    password: passwordFile === '' ? '' : await passwordIn(passwordFile),
    authority: authorityFile === '' ? null : await authorityIn(authorityFile),
  };
}

async function passwordIn(path: string): Promise<string> {
  const text = await readSecretFile(`password file ${path}`, path, LARGEST_PASSWORD_BYTES);
  const password = text.replace(/\r?\n$/, '');
  if (password === '' || /\p{Cc}/u.test(password)) {
    throw new Error(
      `password file ${path}: it must hold the password on one line, and nothing else`,
    );
  }
  return password;
}

async function authorityIn(path: string): Promise<string> {
  const text = await readSmallFile(`authority ${path}`, path, LARGEST_AUTHORITY_BYTES);
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new Error(`authority ${path}: it holds no certificate (PEM)`);
}
