import { describe, expect, it } from '@jest/globals';
import type { AccessPrincipal } from '../../../domain/authority/access-policy.js';
import {
  type GivenDirection,
  type SignedStatement,
  missingCommand,
} from '../../../domain/authority/authorise.js';
import { isSpent, restingOn, spentAfter } from '../../../domain/authority/direction-commands.js';
import { PAYLOAD_TYPE, type Envelope } from '../../../domain/authority/signed-envelope.js';
import { type Statement, wholeStatement } from '../../../domain/authority/statement.js';

const statement = (changes: Partial<Statement> = {}): Statement =>
  wholeStatement({
    ...{ verb: 'apply', workflowId: 'w', nonce: 'n', notBefore: 1000, notAfter: 2000 },
    ...{ cluster: 'uid-1', target: 'ccm' },
    ...changes,
  });

const ONE_OF_TWO = 'handover has signed approvals of 1 of 2 people';

describe('the commands that a direction rests on', () => {
  const said = (name: string, change: Partial<Statement>): SignedStatement => {
    const by: AccessPrincipal = { name, keys: [], grants: [] };
    const signed = statement({ target: '', subject: '', ...change });
    return { statement: signed, digest: 'sha256:1', by, isRevoked: false };
  };
  const back = said('ana', { verb: 'rollBack' });
  const forth = said('ana', { verb: 'rollForward' });
  const approval = said('ben', { verb: 'approve', subject: 'handover' });
  const skip = said('ana', { verb: 'skip', subject: 'CCM1109' });
  const ofGate = said('ana', { verb: 'skip', subject: 'CCM3101/latency' });
  const ofCode = said('ana', { verb: 'skip', subject: 'CCM3101' });
  const any = said('ben', { verb: 'approve' });
  const openSkip = said('ana', { verb: 'skip' });
  const other = said('cho', { verb: 'approve', subject: 'handover' });
  const found = said('cho', { verb: 'approve', subject: 'CCM2007' });

  const rest = { approvals: [], skips: [], handoverQuorum: 1 };
  const forward = { target: 'ccm', ...rest } as const;
  const backward = { target: 'kcm', ...rest } as const;
  const approved = (what: string, handoverQuorum = 1) => ({
    ...{ ...forward, approvals: [what], handoverQuorum },
  });
  const skipped = { ...forward, skips: ['CCM1109'] };
  const skippedGate = { ...forward, skips: ['CCM3101/latency'] };
  const otherGate = { ...forward, skips: ['CCM3101/quota'] };
  const gateAsFinding = { ...forward, skips: ['CCM3101'] };

  it.each<[string, Partial<Statement>, SignedStatement[], GivenDirection, string]>([
    ['forward as asked', {}, [], forward, ''],
    ['back without a word', {}, [], backward, 'turns it to kcm'],
    ['back by an operator', {}, [back], backward, ''],
    ['back by its policy', { turnsBack: 'byPolicy' }, [], backward, ''],
    ['back again by its policy', { turnsBack: 'byPolicy' }, [forth], backward, ''],
    ['forward after it was turned', {}, [back], forward, 'turns it to ccm'],
    ['forward again', {}, [back, forth], forward, ''],
    ['with an approval', {}, [approval], approved('handover'), ''],
    ['with an approval that names nothing', {}, [any], approved('handover'), ''],
    [
      'with one that names nothing',
      {},
      [any],
      approved('CCM2007'),
      'no signed approval of CCM2007',
    ],
    ['with a finding for the handover', {}, [found], approved('handover'), 'approval of handover'],
    ['with a skip that names nothing', {}, [openSkip], skipped, 'no signed command skips CCM1109'],
    ['with another approval', {}, [approval], approved('CCM2007'), 'no signed approval of CCM2007'],
    ['with one approval of two', {}, [approval], approved('handover', 2), ONE_OF_TWO],
    ['with two of one person', {}, [approval, any], approved('handover', 2), ONE_OF_TWO],
    ['with one of something else', {}, [approval, found], approved('handover', 2), ONE_OF_TWO],
    ['with two approvals of two', {}, [approval, other], approved('handover', 2), ''],
    ['with a finding that its owner approves', {}, [found], approved('CCM2007', 2), ''],
    ['with a skip', {}, [skip], skipped, ''],
    ['with a skip of a gate', {}, [ofGate], skippedGate, ''],
    ['with a skip of its code by an older command line', {}, [ofCode], otherGate, ''],
    ['with a skip of another gate', {}, [ofGate], otherGate, 'no signed command skips CCM3101/q'],
    ['with a skip of nothing for a gate', {}, [openSkip], otherGate, 'skips CCM3101/quota'],
    ['with a gate for all of them', {}, [ofGate], gateAsFinding, 'no signed command skips CCM3101'],
    ['with a skip that is not signed', {}, [approval], skipped, 'no signed command skips CCM1109'],
  ])('%s', (_, change, commands, direction, why) => {
    const missing = missingCommand(statement(change), commands, direction);
    expect(missing).toEqual(why === '' ? null : expect.stringContaining(why));
  });

  const envelope = (name: string): Envelope => ({
    ...{ payloadType: PAYLOAD_TYPE, payload: name, signatures: [] },
  });

  it('a turn begins a new list, and an approval joins it', () => {
    const [one, two] = [envelope('one'), envelope('two')];
    expect(restingOn([one], two, 'turns')).toEqual([two]);
    expect(restingOn([one], two, 'allows')).toEqual([one, two]);
    expect(restingOn([], two, 'allows')).toEqual([two]);
    expect(restingOn([one], undefined, 'turns')).toEqual([one]);
  });

  it('a command that was followed is known by what it says, for as long as hundreds of others', () => {
    const resigned = { ...envelope('one'), signatures: [{ keyid: 'k', sig: 's' }] };
    const once = spentAfter(undefined, envelope('one'));
    expect(isSpent(once, resigned)).toBe(true);
    expect(isSpent(once, envelope('two'))).toBe(false);
    expect(isSpent(undefined, envelope('one'))).toBe(false);
    expect(spentAfter(once, resigned)).toEqual(once);
    expect(spentAfter(once, undefined)).toEqual(once);
    const many = Array.from({ length: 499 }, (_, index) => envelope(`more ${String(index)}`));
    const later = many.reduce<readonly string[]>(spentAfter, once);
    expect(isSpent(later, envelope('one'))).toBe(true);
    expect(isSpent(spentAfter(later, envelope('last')), envelope('one'))).toBe(false);
  });

  it('the turn stays, however many approvals follow', () => {
    const many = Array.from({ length: 100 }, (_, index) => envelope(String(index)));
    const kept = many.reduce<readonly Envelope[]>(
      (before, each) => restingOn(before, each, 'allows'),
      [envelope('turn')],
    );
    expect(kept.at(0)).toEqual(envelope('turn'));
    expect(kept.at(-1)).toEqual(envelope('99'));
    expect(kept.length).toBeLessThan(40);
  });
});
