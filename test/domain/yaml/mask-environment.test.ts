import { describe, expect, it } from '@jest/globals';
import { maskEnvironment } from '../../../domain/yaml/mask-environment.js';

const pod = (container: string): string => `spec:\n  containers:\n    - name: kcm\n${container}`;

describe('maskEnvironment', () => {
  it.each([
    ['block style', '      env:\n        - name: A\n          value: canary # why\n'],
    ['the value first', '      env:\n        - value: "canary"\n          name: a\n'],
    ['flow style', "      env: [{ name: a, value: 'canary' }]\n"],
    ['flow over lines', '      env: [\n        { name: a,\n          value: canary }]\n'],
    [
      'a folded text',
      '      env:\n        - name: a\n          value: >-\n            x\n            canary\n      tty: true\n',
    ],
    ['a map', '      env:\n        - name: a\n          value: { x: canary }\n'],
    ['kubeadm', '      extraEnvs:\n        - { name: a, value: canary }\n'],
    ['several', '      env: [{ name: a, value: canary }, { name: b, value: canary }]\n'],
    ['a text that cannot be parsed', '      env: [{ name: a, value: canary\n'],
  ])('masks values in every layout: %s', (_case, text) => {
    const masked = maskEnvironment(pod(text));
    expect(masked).not.toContain('canary');
    expect(masked).toContain('[redacted]');
    expect(masked.includes('tty')).toBe(text.includes('tty'));
    expect(masked).not.toMatch(/redacted.*tty/);
  });

  it('shows nothing where a key is given twice: only one of them would be masked', () => {
    expect(maskEnvironment('env:\n- {name: a, value: b, value: canary}\n')).toBe(
      '# [redacted]: not readable as YAML\n',
    );
  });

  it('shows nothing of a text that is too long to be read', () => {
    expect(maskEnvironment(`env: [{name: a, value: b}]\n${'#'.repeat(64 * 1024)}`)).toBe(
      '# [redacted]: not readable as YAML\n',
    );
  });

  it('preserves everything else as it was written', () => {
    const text = pod(
      '      # kept\n      command: [kcm,   --a=b]\n      env:\n        - name: a # x\n          valueFrom: { secretKeyRef: { name: n, key: k } }\n        - plain\n        - name: empty\n          value:\nvalue: kept\nenv: kept\n',
    );
    expect(maskEnvironment(text)).toBe(text);
  });

  it('masks nothing but the value', () => {
    expect(maskEnvironment('env:\n  - name: a\n    value: x # y\n  - name: b\n')).toBe(
      'env:\n  - name: a\n    value: "[redacted]" # y\n  - name: b\n',
    );
  });

  it('masks every document of a stream', () => {
    expect(maskEnvironment('env: [{ value: x }]\n---\nenv: [{ value: y }]\n')).toBe(
      'env: [{ value: "[redacted]" }]\n---\nenv: [{ value: "[redacted]" }]\n',
    );
  });
});
