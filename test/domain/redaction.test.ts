import { describe, expect, it } from '@jest/globals';
import { redact, redactJson } from '../../domain/redaction.js';

const PEM = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

describe('redact', () => {
  it.each([
    ['bearer token', 'Authorization: Bearer abc.DEF-123', 'abc.DEF-123'],
    ['bearer token without header', 'sent bearer s3cr3t-value', 's3cr3t-value'],
    ['basic authentication', 'Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
    ['header of another scheme', 'authorization: basic abcdef', 'abcdef'],
    ['header in JSON', '{"Authorization":"Bearer abcdef"}', 'abcdef'],
    ['JWT anywhere', `cannot use ${JWT} here`, 'eyJzdWIiOiJhIn0'],
    ['JWT behind a dash', `id-${JWT}`, 'eyJzdWIiOiJhIn0'],
    ['JWT behind another beginning', `eyJ-${JWT}`, 'eyJzdWIiOiJhIn0'],
    ['PEM block', `key ${PEM} end`, 'MHcCAQEE'],
    ['PEM block cut off', '-----BEGIN PRIVATE KEY-----\nMHcCAQEE', 'MHcCAQEE'],
    ['PEM in base64', 'x LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0t y', 'BQUklWQVRF'],
    ['kubeconfig key data', 'client-key-data: c29tZXRoaW5n', 'c29tZXRoaW5n'],
    ['kubeconfig token', 'token: abcdef.0123456789abcdef', '0123456789abcdef'],
    ['JSON member', '{"access_token":"abc, def"}', 'abc, def'],
    ['quoted password', "password='hunter 2'", 'hunter 2'],
    ['query', 'GET /x?token=abc123&y=1', 'abc123'],
    ['user of a URL', 'https://ana:pw@host/path', 'ana:pw'],
  ])('redact removes a %s', (_name, text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('[redacted]');
  });

  it.each([
    'Lease kube-system/ccm-migrate: answered 409 Conflict: the object has been modified',
    'cp-1:/etc/kubernetes/manifests/kube-controller-manager.yaml',
    '--controllers leaves out serviceaccount-token-controller',
    'https://10.0.0.1:6443/api/v1/nodes',
    'basic authentication was removed in Kubernetes 1.19',
  ])('redact leaves a text without secrets alone: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  it('redact removes every known value, whatever it looks like, and ignores empty ones', () => {
    expect(redact('a plain-word b plain-word', ['plain-word', ''])).toBe(
      'a [redacted] b [redacted]',
    );
  });

  it('redact keeps the text around the secret', () => {
    expect(redact('https://ana:pw@host/path?token=abc&y=1')).toBe(
      'https://[redacted]@host/path?token=[redacted]&y=1',
    );
  });
});

describe('redactJson', () => {
  it('redactJson needs no known values', () => {
    expect(redactJson(['token=abc'])).toEqual(['token=[redacted]']);
  });

  it('redactJson reaches every string of plain JSON and keeps the rest', () => {
    expect(
      redactJson({ a: ['Bearer abcdef', 1, null], b: { c: 'known', d: true } }, ['known']),
    ).toEqual({
      a: ['Bearer [redacted]', 1, null],
      b: { c: '[redacted]', d: true },
    });
  });
});
