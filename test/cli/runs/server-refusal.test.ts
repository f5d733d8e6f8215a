import { describe, expect, it } from '@jest/globals';
import { CliError } from '../../../cli/cli-error.js';
import { namedRefusal } from '../../../cli/runs/server-refusal.js';

const coded = (code: number): Error => Object.assign(new Error('of gRPC'), { code });
const wrapped = (cause: unknown): Error => new Error('Failed to list workflows', { cause });

describe('what the authorizer of the server refused', () => {
  it.each([
    { error: coded(7), what: 'a permission that is missing' },
    { error: coded(16), what: 'a token that is missing' },
    { error: wrapped(wrapped(coded(7))), what: 'one inside errors of the client' },
  ])('$what is named', ({ error }) => {
    const named = namedRefusal(error, 'temporal:7233');
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
    expect(namedRefusal(error, 'temporal:7233')).toBe(error);
  });
});
