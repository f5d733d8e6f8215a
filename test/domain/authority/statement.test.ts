import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PAYLOAD_TYPE, readEnvelope } from '../../../domain/authority/signed-envelope.js';
import {
  readStatement,
  statementText,
  wholeStatement,
} from '../../../domain/authority/statement.js';
import { VERB_RULES, rolesFor } from '../../../domain/authority/verb-roles.js';
import { FLEET_VERBS } from '../../../domain/fleet/fleet-verbs.js';
import { VERB_NAMES } from '../../../domain/run/operator-verbs.js';

const START = wholeStatement({
  ...{ verb: 'apply', workflowId: 'w', nonce: 'n', notBefore: 10, notAfter: 20 },
  ...{ cluster: 'uid-1', reason: 'Änderung "4711"' },
});

describe('a statement', () => {
  it('is canonical JSON of texts and whole numbers, as RFC 8785 writes it', () => {
    expect(statementText(START)).toBe(
      '{"actor":"","cluster":"uid-1","fleet":"","materials":"","members":"","nonce":"n","notAfter":20,"notBefore":10,' +
        '"plan":"","policy":"","reason":"Änderung \\"4711\\"","runId":"","statement":1,"subject":"","takeOver":"",' +
        '"target":"","ticket":"","timings":"","turnsBack":"","verb":"apply","workflowId":"w"}',
    );
  });

  it('is read as it was written, whatever it says', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, fc.maxSafeInteger(), (reason, nonce, notAfter) => {
        const statement = { ...START, reason, nonce, notAfter };
        expect(readStatement(statementText(statement))).toEqual(statement);
      }),
    );
  });

  it.each<[string, string]>([
    ['no JSON', 'apply'],
    ['another value', '"apply"'],
    ['nothing', 'null'],
    ['spaces', JSON.stringify(START, null, 1)],
    ['another order of its members', JSON.stringify(START)],
    ['a member more', statementText({ ...START, ...{ zone: 'a' } })],
    ['a member less', statementText(START).replace('"plan":"",', '')],
    ['a member twice', statementText(START).replace('"plan":"",', '"plan":"","plan":"",')],
    ['a number that is a text', statementText(START).replace('20', '"20"')],
    ['a text that is a number', statementText(START).replace('"uid-1"', '1')],
    ['a part of a second', statementText({ ...START, notAfter: 20.5 })],
    ['another version', statementText(START).replace('"statement":1', '"statement":2')],
    ['a verb that no one knows', statementText(START).replace('apply', 'drain')],
    ['a verb of objects', statementText(START).replace('apply', 'constructor')],
    ['another target', statementText(START).replace('"target":""', '"target":"aws"')],
    ['another way back', statementText(START).replace('"turnsBack":""', '"turnsBack":"always"')],
  ])('is not read with %s', (_, text) => {
    expect(readStatement(text)).toBeNull();
  });
});

describe('an envelope', () => {
  const envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: 'e30=',
    signatures: [{ keyid: 'sha256:1', sig: 'AA==' }],
  };
  it('is read without what does not belong to it', () => {
    const [signature] = envelope.signatures;
    const more = { ...envelope, more: 1, signatures: [{ ...signature, more: 1 }] };
    expect(readEnvelope(more)).toEqual(envelope);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'x'],
    ['another type', { ...envelope, payloadType: 'application/vnd.in-toto+json' }],
    ['no payload', { ...envelope, payload: '' }],
    ['a payload of a megabyte', { ...envelope, payload: 'A'.repeat(2 ** 20) }],
    ['a payload that is no text', { ...envelope, payload: 1 }],
    ['no list of signatures', { ...envelope, signatures: 'AA==' }],
    ['no signature', { ...envelope, signatures: [] }],
    ['two signatures', { ...envelope, signatures: [...envelope.signatures, envelope] }],
    ['a signature that is nothing', { ...envelope, signatures: [null] }],
    ['no key', { ...envelope, signatures: [{ sig: 'AA==' }] }],
    ['no signature in it', { ...envelope, signatures: [{ keyid: 'sha256:1' }] }],
  ])('is not read where it is %s', (_, value) => {
    expect(readEnvelope(value)).toBeNull();
  });
});

describe('who may ask for what', () => {
  it('every verb of runs and fleets has a rule', () => {
    const all = [...VERB_NAMES, ...Object.keys(FLEET_VERBS), 'apply', 'revise'];
    expect(Object.keys(VERB_RULES).sort()).toEqual([...new Set(all)].sort());
  });

  it('brakes alone need no signature', () => {
    const brakes = Object.entries(VERB_RULES).filter(([, { isBrake }]) => isBrake);
    expect(brakes.map(([verb]) => verb)).toEqual(['pause', 'freeze', 'stop', 'reject']);
  });

  it('automation may ask for a rollback, and for nothing else', () => {
    const its = Object.entries(VERB_RULES).filter(([, { roles }]) =>
      roles.some((role) => role === 'automation'),
    );
    expect(its.map(([verb]) => verb)).toEqual(['rollBack']);
  });

  it('a run toward KCM undoes a migration, so that an operator may start it', () => {
    expect(rolesFor('apply', 'ccm')).toEqual(['requester', 'breakGlass']);
    expect(rolesFor('apply', 'kcm')).toEqual(['requester', 'operator', 'breakGlass']);
    expect(rolesFor('retry', '')).toEqual(['operator', 'breakGlass']);
  });
});
