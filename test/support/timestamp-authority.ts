import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AddressInfo } from 'node:net';

const run = promisify(execFile);

const CONFIGURATION = `
[req]
distinguished_name = name
prompt = no
[name]
CN = unused
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[timestamps]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[everything]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = critical,timeStamping,serverAuth
[uncritical]
basicConstraints = critical,CA:FALSE
extendedKeyUsage = timeStamping
[past]
database = index
new_certs_dir = .
serial = serial
default_md = sha256
policy = anyone
[anyone]
commonName = supplied
[answers]
serial = serial
default_policy = 1.2.3.4.1
other_policies = 1.2.3.4.2
digests = sha256,sha512
signer_digest = sha256
ess_cert_id_alg = sha256
`;

type SignerPurpose = 'timestamps' | 'everything' | 'uncritical';

/** A timestamp authority (RFC 3161) in a folder: OpenSSL's own. */
export interface TimestampAuthority {
  readonly folder: string;
  /** Of the one above all, and of the one that signed the signer's. */
  readonly root: string;
  readonly intermediate: string;
  /** Of the signer: no authority. */
  readonly signer: string;
  /** Of the one above all, as it was valid on one day of 2020 alone. */
  readonly expiredRoot: () => Promise<string>;
  /** Another certificate of its key, with the same issuer and number. */
  readonly otherSigner: (purpose: SignerPurpose) => Promise<string>;
  /** Answers a query (DER). */
  readonly answer: (query: Buffer) => Promise<Buffer>;
  /** Serves answers; `spoiled` may change them. */
  readonly serve: (spoiled?: (answer: Buffer) => Buffer) => Promise<ServedAuthority>;
}

export interface ServedAuthority {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Makes keys and certificates: root, intermediate, signer. */
export async function timestampAuthority(folder: string): Promise<TimestampAuthority> {
  await writeFile(join(folder, 'openssl.cnf'), CONFIGURATION);
  await writeFile(join(folder, 'serial'), '01\n');
  await writeFile(join(folder, 'index'), '');
  const root = await made(folder, { name: 'root', section: 'authority', words: fresh('root') });
  const intermediate = await made(folder, {
    ...{ name: 'intermediate', section: 'authority' },
    words: [...fresh('intermediate'), ...by('root')],
  });
  const signerWith = (name: string, section: SignerPurpose, key: readonly string[]) =>
    made(folder, { name, section, words: [...key, ...by('intermediate'), '-set_serial', '7'] });
  const signer = await signerWith('signer', 'timestamps', fresh('signer'));
  const answer = (query: Buffer) => answerFrom(folder, query);
  return {
    ...{ folder, root, intermediate, signer, answer },
    otherSigner: (purpose) => signerWith(`for-${purpose}`, purpose, ['-key', 'signer.key']),
    expiredRoot: () => expiredRoot(folder),
    serve: (spoiled) => served(answer, spoiled),
  };
}

function openssl(folder: string, ...words: readonly string[]) {
  return run('openssl', words, { cwd: folder });
}

async function textOf(folder: string, name: string): Promise<string> {
  return (await readFile(join(folder, name), 'utf8')).trim();
}

function fresh(name: string): readonly string[] {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  return [...curve, '-keyout', `${name}.key`];
}

function by(name: string): readonly string[] {
  return ['-CA', `${name}.pem`, '-CAkey', `${name}.key`];
}

interface NewCertificate {
  readonly name: string;
  readonly section: string;
  readonly words: readonly string[];
}

async function made(folder: string, { name, section, words }: NewCertificate): Promise<string> {
  const common = ['-config', 'openssl.cnf', '-days', '3650', '-extensions', section];
  const files = ['-out', `${name}.pem`, '-subj', `/CN=${name}`];
  await openssl(folder, 'req', '-x509', ...words, ...files, ...common);
  return textOf(folder, `${name}.pem`);
}

async function expiredRoot(folder: string): Promise<string> {
  const config = ['-config', 'openssl.cnf'];
  const asked = ['-new', '-key', 'root.key', '-subj', '/CN=root', '-out', 'root.csr'];
  await openssl(folder, 'req', ...asked, ...config);
  const day = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
  const files = ['-in', 'root.csr', '-keyfile', 'root.key', '-out', 'past.pem', '-notext'];
  const section = ['-name', 'past', '-extensions', 'authority'];
  await openssl(folder, 'ca', '-batch', '-selfsign', ...config, ...section, ...day, ...files);
  return textOf(folder, 'past.pem');
}

async function answerFrom(folder: string, query: Buffer): Promise<Buffer> {
  await writeFile(join(folder, 'query'), query);
  const keys = ['-signer', 'signer.pem', '-inkey', 'signer.key', '-chain', 'intermediate.pem'];
  const place = ['-config', 'openssl.cnf', '-section', 'answers', '-queryfile', 'query'];
  await openssl(folder, 'ts', '-reply', ...place, ...keys, '-out', 'answer');
  return readFile(join(folder, 'answer'));
}

async function served(
  answer: TimestampAuthority['answer'],
  spoiled: (answer: Buffer) => Buffer = (each) => each,
): Promise<ServedAuthority> {
  const server: Server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const body = spoiled(await answer(Buffer.concat(parts)));
      response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(body);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${String(port)}/`, close };
}
