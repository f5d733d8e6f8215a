import { describe, expect, it } from '@jest/globals';
import { signedInTime } from '../../../cli/server/signed-in-time.js';

const PLAIN = { verb: 'rollBack', signed: '' };
const SIGNED = { verb: 'rollBack', signed: 'by the pager' };

describe('the rollback of an alert', () => {
  it('is sent as it was signed', async () => {
    const sent = await signedInTime(PLAIN, Promise.resolve(SIGNED));
    expect(sent).toEqual({ command: SIGNED, unsigned: '' });
  });

  it('is sent without a signature where the key refuses, and says why', async () => {
    const sent = await signedInTime(PLAIN, Promise.reject(new Error('the agent is locked')));
    expect(sent).toEqual({ command: PLAIN, unsigned: 'the agent is locked' });
  });

  it('does not wait for a key that says nothing', async () => {
    const sent = await signedInTime(PLAIN, new Promise<typeof PLAIN>(() => undefined));
    expect(sent).toEqual({ command: PLAIN, unsigned: 'its key did not sign in time' });
  });

  it('is not disturbed by a key that refuses later', async () => {
    const refusal = new Promise<typeof PLAIN>((_, reject) => {
      setTimeout(() => reject(new Error('late')), 400);
    });
    expect(await signedInTime(PLAIN, refusal)).toMatchObject({ command: PLAIN });
    await expect(refusal).rejects.toThrow('late');
  });
});
