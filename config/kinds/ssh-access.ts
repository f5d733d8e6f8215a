import { z } from 'zod';
import { filePath } from './envelope.js';

const port = z.number().int().min(1).max(65_535);

const hostKey = z
  .string()
  .max(2048)
  .regex(
    /^(SHA256:[A-Za-z0-9+/]{43}|(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)) AAAA[A-Za-z0-9+/]+={0,2}( .*)?)$/,
    'must be a fingerprint (SHA256:…, as ssh-keygen -l prints it) or a public key (ssh-ed25519 AAAA…)',
  );

const host = z.strictObject({
  address: z
    .string()
    .max(253)
    .regex(/^[A-Za-z0-9.:-]+$/, 'must be a host name or an IP address')
    .optional()
    .meta({ description: "Where its sshd is, instead of the Node's InternalIP." }),
  port: port.optional(),
  hostKeys: z.array(hostKey).min(1).max(16).optional().meta({
    description:
      'Host keys that this node may present: fingerprints or public keys. They replace knownHosts.',
  }),
});

/**
 * Node access over SSH. config/rules/ssh-rules.ts checks that exactly one login is set and that host keys are known.
 */
export const sshAccess = z.strictObject({
  kind: z.literal('ssh'),
  user: z
    .string()
    .max(64)
    .regex(/^[a-z_][a-z0-9_.-]*$/i, 'must be the name of a user of the nodes'),
  port: port.default(22),
  identityFile: filePath.optional().meta({
    description:
      'Path of a private key without passphrase that only its owner may read (0600), absolute or from the folder of this file. This or agent.',
  }),
  agent: filePath.optional().meta({
    description:
      'Path of the socket of an ssh agent. It is never taken from the environment. This or identityFile.',
  }),
  sudo: z.boolean().default(false).meta({
    description:
      'Whether commands go through `sudo -n`. Needed unless the user is root: other users do not see every process.',
  }),
  knownHosts: filePath.optional().meta({
    description:
      'Path of a known_hosts file with the host keys of all nodes, each under NODE@CLUSTER. It is read for each connection, so that machines can be added.',
  }),
  hosts: z.record(z.string().min(1).max(253), host).default({}).meta({
    description: 'Overrides by Node name.',
  }),
});

export type SshAccessSettings = z.output<typeof sshAccess>;
