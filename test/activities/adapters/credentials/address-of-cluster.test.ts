import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  addressOf,
  type FoundAddress,
} from '../../../../activities/adapters/credentials/address-of-cluster.js';
import { createAuthority } from '../../../../testbed/base/auth/certificates.js';
import { TOKEN, kubeconfigText } from '../http/tls-stub.js';

const REFUSING = { fileReferences: false, exec: false };
const TRUSTING = { fileReferences: true, exec: true };

describe('the address of a cluster', () => {
  let folder: string;
  let kubeconfig: string;
  const [one, other] = [createAuthority('one'), createAuthority('other')];
  const plain = kubeconfigText('https://10.0.0.1:6443', one.certificatePem);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-address-'));
    kubeconfig = join(folder, 'alpha.kubeconfig');
  });
  afterAll(() => rm(folder, { recursive: true }));

  const found = async (text: string, allow = REFUSING, context?: string): Promise<FoundAddress> => {
    await writeFile(kubeconfig, text);
    const named = context === undefined ? {} : { context };
    return addressOf({ name: 'alpha', kubeconfig, allow, ...named });
  };

  it('a kubeconfig is parsed again when its text has changed, and only then', async () => {
    const first = await found(plain);
    expect((await found(plain)).address).toBe(first.address);
    const renewed = await found(plain.replace(TOKEN, 'renewed-token'));
    expect(renewed.fingerprint).not.toBe(first.fingerprint);
    expect(renewed.address.credential).not.toBe(first.address.credential);
    const again = await found(plain);
    expect(again.fingerprint).toBe(first.fingerprint);
    expect(again.address).not.toBe(first.address);
  });

  it('what one entry may do answers no other entry of the same file', async () => {
    const text = kubeconfigText(
      'https://10.0.0.1:6443',
      one.certificatePem,
      'exec: { apiVersion: client.authentication.k8s.io/v1, command: /bin/true }',
    );
    expect((await found(text, TRUSTING)).address.credential.kind).toBe('exec');
    await expect(found(text)).rejects.toThrow('exec is refused');
    await expect(found(text, TRUSTING, 'other')).rejects.toThrow('there is no context other');
  });

  it('a file that the kubeconfig names is read each time', async () => {
    const named = join(folder, 'ca.pem');
    const text = plain.replace(/certificate-authority-data: .*/, 'certificate-authority: ca.pem');
    await writeFile(named, one.certificatePem);
    expect((await found(text, TRUSTING)).address.ca).toBe(one.certificatePem);
    await writeFile(named, other.certificatePem);
    expect((await found(text, TRUSTING)).address.ca).toBe(other.certificatePem);
  });
});
