import { describe, expect, it } from '@jest/globals';
import { ServiceError } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { CliError } from '../../../cli/cli-error.js';
import { mayHeal, namedRefusal } from '../../../cli/runs/server-refusal.js';

const SERVER = { address: 'temporal:7233', namespace: 'prdo', namespaceSource: '--namespace' };
const coded = (code: number): Error => Object.assign(new Error('of gRPC'), { code });
const wrapped = (cause: unknown): Error => new Error('Failed to list workflows', { cause });

describe('what the authorizer of the server refused', () => {
  it.each([
    { error: coded(7), what: 'a permission that is missing' },
    { error: coded(16), what: 'a token that is missing' },
    { error: wrapped(wrapped(coded(7))), what: 'one inside errors of the client' },
  ])('$what is named', ({ error }) => {
    const named = namedRefusal(error, SERVER);
    expect(named).toBeInstanceOf(CliError);
    expect(named).toMatchObject({ code: 'CCM4037', exitStatus: 'refused' });
  });

  const endless = new Error('round');
  endless.cause = endless;
  it.each([
    { error: coded(14), what: 'a server that is away' },
    { error: wrapped(null), what: 'an error without its cause' },
    { error: 'text', what: 'what is no error' },
    { error: endless, what: 'an error that is its own cause' },
  ])('$what stays as it is', ({ error }) => {
    expect(namedRefusal(error, SERVER)).toBe(error);
  });
});

describe('a namespace that the server does not have', () => {
  it('is named, with the setting that it came from and what to do', () => {
    const named = namedRefusal(new NamespaceNotFoundError('prdo'), SERVER);
    expect(named).toMatchObject({
      ...{ code: 'CCM4020', exitStatus: 'failed' },
      message:
        'the Temporal server at temporal:7233 has no namespace prdo (it came from --namespace)',
    });
    expect(named).toMatchObject({ fix: expect.stringContaining('TEMPORAL_NAMESPACE') });
  });
});

describe('what the server may answer later', () => {
  it.each<[string, unknown, boolean]>([
    ['one that is away', wrapped(coded(14)), true],
    ['one that is slow', wrapped(coded(4)), true],
    ['one that is busy', wrapped(coded(8)), true],
    ['one whose connection broke', wrapped(coded(13)), true],
    ['an error of the client without a cause', new ServiceError('away'), true],
    ['a permission that is missing', wrapped(coded(7)), false],
    ['a token that is missing', wrapped(coded(16)), false],
    ['a bad argument', wrapped(coded(3)), false],
    ['an execution that it does not know', coded(5), false],
    ['a request that it does not know', coded(12), false],
    ['a namespace that it does not have', new NamespaceNotFoundError('prod'), false],
    ['a fault of this program', new TypeError('no'), false],
  ])('%s', (_what, error, expected) => {
    expect(mayHeal(error)).toBe(expected);
  });
});
