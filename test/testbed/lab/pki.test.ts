import { createPrivateKey, X509Certificate } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createPki } from '../../../testbed/lab/cluster/pki.js';

it('the expired certificate of an API server differs from the valid one only in its period of validity', () => {
  const pki = createPki('lab-1', '10.77.1.9', 'https://10.77.1.9:6443');
  const good = new X509Certificate(pki.apiServer.certificatePem);
  const expired = new X509Certificate(pki.expiredApiServer().certificatePem);
  expect(Date.parse(good.validTo)).toBeGreaterThan(Date.now());
  expect(Date.parse(expired.validTo)).toBeLessThan(Date.now());
  expect(Date.parse(expired.validFrom)).toBeLessThan(Date.parse(expired.validTo));
  expect(expired.verify(new X509Certificate(pki.authority.certificatePem).publicKey)).toBe(true);
  expect(expired.checkPrivateKey(createPrivateKey(pki.apiServer.privateKeyPem))).toBe(true);
  expect(expired.subject).toBe(good.subject);
  expect(expired.subjectAltName).toBe(good.subjectAltName);
});
