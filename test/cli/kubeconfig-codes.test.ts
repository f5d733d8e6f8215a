import { expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../../activities/adapters/connect.js';
import { cliErrorOf } from '../../cli/cli-error.js';
import { explain } from '../../domain/findings/catalogue.js';
import { createAuthority } from '../../testbed/base/auth/certificates.js';

const PEM = createAuthority('test').certificatePem;
const CA = `certificate-authority-data: ${Buffer.from(PEM).toString('base64')}`;

function kubeconfig(cluster: string, user: string, more = ''): string {
  return `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:1', ${cluster} } }]
users: [{ name: u, user: { ${user} } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
${more}`;
}

const INVALID = kubeconfig(CA, 'token: t', 'current-context: y\n');

it.each<[string, string | null, string, RegExp]>([
  ['a credential plugin', kubeconfig(CA, 'exec: { command: aws }'), 'CCM5011', /credential plugin/],
  ['an auth provider', kubeconfig(CA, 'auth-provider: { name: gcp }'), 'CCM5011', /plugin/],
  [
    'TLS verification turned off',
    kubeconfig('insecure-skip-tls-verify: true', 'token: t'),
    'CCM5012',
    /insecure-skip-tls-verify/,
  ],
  [
    'no certificate authority',
    kubeconfig('', 'token: t').replace(', }', ' }'),
    'CCM5012',
    /certificate-authority-data/,
  ],
  ['a token file', kubeconfig(CA, 'tokenFile: /t'), 'CCM5019', /flatten/],
  [
    'a certificate authority in a file',
    kubeconfig('certificate-authority: /ca', 'token: t'),
    'CCM5019',
    /flatten/,
  ],
  ['no credential', kubeconfig(CA, ''), 'CCM5020', /ServiceAccount/],
  ['a password', kubeconfig(CA, 'username: a, password: b'), 'CCM5020', /1\.19/],
  [
    'a certificate without its key',
    kubeconfig(CA, 'client-certificate-data: eA=='),
    'CCM5020',
    /key/,
  ],
  ['a proxy', kubeconfig(`${CA}, proxy-url: 'http://p'`, 'token: t'), 'CCM5018', /proxy/],
  ['a file that is no kubeconfig', INVALID, 'CCM5018', /one context/],
  ['a missing file', null, 'CCM5016', /does not exist/],
  ['a folder', '', 'CCM5016', /path/],
])(
  'a faulty kubeconfig is refused with the code of its fault, which has a page: %s',
  async (_, text, code, page) => {
    const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-kubeconfig-'));
    try {
      const path = join(folder, 'kubeconfig');
      if (text === '') await mkdir(path);
      else if (text !== null) await writeFile(path, text);
      const refused = await connectCluster({
        ...{ name: 'c', kubeconfig: path, nodeAccess: { kind: 'none' }, machinesApi: null },
        allow: { exec: false, fileReferences: false },
      }).then(
        () => null,
        (error: unknown) => cliErrorOf(error),
      );
      expect(refused).toMatchObject({ code, exitStatus: 'configInvalid' });
      if (refused !== null) expect(explain(refused.code)).toMatch(page);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
