import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  parseKubeconfig,
  type KubeconfigOptions,
} from '../../../../activities/adapters/credentials/kubeconfig.js';
import { createAuthority, type Identity } from '../../../../testbed/base/auth/certificates.js';
import { TOKEN, base64, failureOf, kubeconfigText } from '../http/tls-stub.js';

const SERVER = 'https://10.0.0.1:6443/clusters/alpha';
let ca: string;
let client: Identity;
let plain: string;

beforeAll(() => {
  const authority = createAuthority('ca');
  ca = authority.certificatePem;
  client = authority.issueClient('ana', [], 'alpha');
  plain = kubeconfigText(SERVER, ca);
});

const OPTIONS: KubeconfigOptions = {
  source: 'alpha.yaml',
  allowFileReferences: false,
  allowExec: false,
  readReference: () => Promise.reject(new Error('was read')),
};
const parse = (text: string, over: Partial<KubeconfigOptions> = {}): Promise<unknown> =>
  parseKubeconfig(text, { ...OPTIONS, ...over });
const withUser = (user: string): string => kubeconfigText(SERVER, ca, user);
const withCluster = (member: string): string =>
  plain.replace(/( +)(server: .*)/, `$1$2\n$1${member}`);

describe('parseKubeconfig', () => {
  it('reads server, authority and token of the current context, and nothing else', async () => {
    expect(await parse(plain)).toEqual({
      server: SERVER,
      ca,
      tlsServerName: null,
      credential: { kind: 'token', token: expect.anything() },
    });
  });

  it('reads an inline client certificate and key', async () => {
    const text = withUser(
      `client-certificate-data: ${base64(client.certificatePem)}\n      client-key-data: ${base64(client.privateKeyPem)}`,
    );
    expect(await parse(text)).toMatchObject({
      credential: { kind: 'clientCertificate', certificate: client.certificatePem },
    });
  });

  it('a parsed kubeconfig shows no secret when it is printed', async () => {
    expect(JSON.stringify(await parse(plain))).not.toContain(TOKEN);
  });

  it('uses another context when the inventory names one, and lists the existing ones', async () => {
    const text = plain.replace('current-context: main', 'current-context: other');
    await expect(parse(text)).rejects.toThrow('there is no context other (there is: main)');
    await expect(parse(text, { context: 'main' })).resolves.toMatchObject({ server: SERVER });
  });

  it('ignores the content of an entry that is not used', async () => {
    const text = `${plain}  - name: someone-else\n    user:\n      exec: { command: /bin/evil }\n`;
    await expect(parse(text)).resolves.toMatchObject({ server: SERVER });
  });

  it.each<[string, () => string, RegExp]>([
    ['a plugin', () => withUser('exec: { command: aws }'), /exec is refused: it starts a program/],
    [
      'an auth provider',
      () => withUser('auth-provider: { name: gcp }'),
      /auth-provider is refused/,
    ],
    ['a password', () => withUser('username: ana\n      password: x'), /basic authentication/],
    ['impersonation', () => withUser(`token: x\n      as: root`), /as is refused: impersonation/],
    ['a proxy', () => withCluster('proxy-url: http://proxy:3128'), /proxy-url is refused/],
    [
      'unverified TLS',
      () => withCluster('insecure-skip-tls-verify: true'),
      /insecure-skip-tls-verify is refused/,
    ],
    ['an unknown member', () => withCluster('serverr: x'), /serverr/],
    [
      'a token file',
      () => withUser('tokenFile: /var/token'),
      /tokenFile names a file.*inline \(token\)/,
    ],
    [
      'a certificate file',
      () => withUser('client-certificate: a.crt\n      client-key: a.key'),
      /client-certificate names a file/,
    ],
    [
      'an authority file',
      () => plain.replace(/certificate-authority-data: .*/, 'certificate-authority: ca.crt'),
      /certificate-authority names a file/,
    ],
    [
      'no authority',
      () => plain.replace(/certificate-authority-data: .*/, ''),
      /certificate-authority-data is missing/,
    ],
    [
      'an authority that is no PEM',
      () => kubeconfigText(SERVER, 'canary'),
      /certificate-authority is not valid PEM/,
    ],
    [
      'a certificate without its key',
      () => withUser(`client-certificate-data: ${base64(client.certificatePem)}`),
      /needs its key/,
    ],
    [
      'two credentials',
      () => withUser(`token: x\n      client-key-data: ${base64(client.privateKeyPem)}`),
      /exactly one/,
    ],
    ['no credential', () => withUser('{}'), /exactly one/],
    ['plain http', () => kubeconfigText('http://10.0.0.1', ca), /https address/],
    ['a user in the address', () => kubeconfigText('https://a:b@10.0.0.1', ca), /without user/],
    ['a query', () => kubeconfigText('https://10.0.0.1/?a=b', ca), /without user, query/],
    ['a metadata service', () => kubeconfigText('https://169.254.169.254', ca), /link-local/],
    ['a metadata service', () => kubeconfigText('https://[fe90::1]', ca), /link-local/],
    [
      'a metadata service',
      () => kubeconfigText('https://[::ffff:169.254.169.254]', ca),
      /link-local/,
    ],
    ['a metadata service', () => kubeconfigText('https://0xA9.0xFE.43518', ca), /link-local/],
    ['no current context', () => plain.replace(/current-context: .*\n/, ''), /no current-context/],
    [
      'two entries of one name',
      () => `${plain}  - name: us\n    user: {}\n`,
      /user us is defined twice/,
    ],
    ['an alias', () => plain.replace(`token: ${TOKEN}`, 'token: &a x'), /anchors are not allowed/],
    ['two documents', () => `${plain}---\n${plain}`, /exactly one YAML document/],
    ['no YAML', () => '{', /line 1/],
    ['no content', () => '', /exactly one YAML document/],
    ['another kind of object', () => plain.replace('kind: Config', 'kind: Secret'), /kind/],
    ['too much text', () => `${plain}#${'x'.repeat(2 * 1024 * 1024)}`, /longer than/],
  ])('refuses a kubeconfig with %s', async (_name, text, why) => {
    const error = await failureOf(parse(text()));
    expect(error).toMatchObject({ type: 'InvalidInput', message: expect.stringMatching(why) });
    expect(String(error)).toContain('alpha.yaml');
    expect(String(error)).not.toMatch(/canary|BEGIN|LS0t/);
  });

  it('accepts a plugin only when that is permitted, and shows nothing of its environment', async () => {
    const text = withUser(
      `exec:
        apiVersion: client.authentication.k8s.io/v1
        command: aws
        args: [eks, get-token]
        env: [{ name: AWS_SECRET, value: canary-env }]
        interactiveMode: IfAvailable
        provideClusterInfo: true`,
    );
    await expect(parse(text)).rejects.toThrow(/exec is refused.*allow\.exec/);
    const parsed = await parse(text, { allowExec: true });
    expect(parsed).toMatchObject({
      credential: {
        kind: 'exec',
        plugin: {
          ...{ apiVersion: 'client.authentication.k8s.io/v1', command: 'aws' },
          arguments: ['eks', 'get-token'],
          cluster: { server: SERVER, 'certificate-authority-data': base64(ca) },
        },
      },
    });
    expect(JSON.stringify(parsed)).not.toContain('canary');
  });

  it.each([
    ['an old exchange', 'apiVersion: client.authentication.k8s.io/v1alpha1, command: x'],
    ['no exchange', 'command: x'],
    ['no command', 'apiVersion: client.authentication.k8s.io/v1'],
    [
      'a terminal',
      'apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: Always',
    ],
    [
      'a member we do not know',
      'apiVersion: client.authentication.k8s.io/v1, command: x, shell: true',
    ],
  ])('refuses a plugin with %s, though plugins are allowed', async (_what, exec) => {
    const error = await failureOf(parse(withUser(`exec: { ${exec} }`), { allowExec: true }));
    expect(error).toMatchObject({ type: 'InvalidInput' });
  });

  it('reads files that it names only when that is permitted', async () => {
    const files: Record<string, string> = {
      'ca.crt': ca,
      'a.crt': client.certificatePem,
      'a.key': client.privateKeyPem,
    };
    const text = withUser('client-certificate: a.crt\n      client-key: a.key').replace(
      /certificate-authority-data: .*/,
      'certificate-authority: ca.crt',
    );
    const readReference = (path: string): Promise<string> => Promise.resolve(files[path] ?? '');
    expect(await parse(text, { allowFileReferences: true, readReference })).toMatchObject({
      ca,
      credential: { kind: 'clientCertificate' },
    });
    expect(
      await parse(withUser('tokenFile: /var/token'), { allowFileReferences: true }),
    ).toMatchObject({ credential: { kind: 'tokenFile', path: '/var/token' } });
  });
});
