import { expect, it } from '@jest/globals';
import { slotsOfIdentity, workerIdentity } from '../../config/worker-identity.js';

it('the slots of a worker are read from its identity, whatever its host is called', () => {
  const given = { role: 'guards', host: 'node-1.example', pid: 42 };
  expect(slotsOfIdentity(workerIdentity({ ...given, slots: 320 }))).toBe(320);
  expect(workerIdentity({ ...given, slots: null })).toBe('ccm-migrate-guards@node-1.example#42');
});

it.each([
  'ccm-migrate-guards@node-1#42',
  '42@node-1/320',
  'ccm-migrate-guards@node-1#42/',
  'ccm-migrate-guards@node-1#42/9999999',
  '',
])('%s does not say how many slots it has', (identity) => {
  expect(slotsOfIdentity(identity)).toBeNull();
});
