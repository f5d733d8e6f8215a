import { expect, it } from '@jest/globals';
import { failure } from '../../activities/failures.js';
import { cliErrorOf } from '../../cli/cli-error.js';

it.each([
  [failure('Unauthorized', 'x', { details: { reason: 'HostKey' } }), 'CCM4025'],
  [failure('ForeignNode', 'x', { details: { reason: 'ForeignCluster' } }), 'CCM4030'],
  [failure('Unauthorized', 'x', { details: { reason: 'NodeLogin' } }), 'CCM4026'],
  [failure('Forbidden', 'x', { details: { reason: 'CommandRefused' } }), 'CCM4027'],
  [failure('Forbidden', 'x', { details: { reason: 'Forbidden' } }), 'CCM4009'],
  [failure('Unauthorized', 'x'), 'CCM4016'],
  [failure('InvalidInput', 'x'), 'CCM5003'],
  [failure('GateFailed', 'x'), 'CCM4103'],
  [failure('FenceLost', 'x'), 'CCM3007'],
])('a failure of the closed list is explained on its own page, case %#', (error, code) => {
  expect(cliErrorOf(error)?.code).toBe(code);
});

it('an error outside the closed list has no page', () => {
  expect(cliErrorOf(new Error('x'))).toBeNull();
});
