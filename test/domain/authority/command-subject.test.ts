import { describe, expect, it } from '@jest/globals';
import type { CommandAbout } from '../../../domain/authority/command-subject.js';
import { commandSubject, isAboutSubject } from '../../../domain/authority/command-subject.js';

describe('what a command is about, as its sender signs it', () => {
  it.each<[string, CommandAbout, string]>([
    ['nothing in particular', {}, ''],
    ['a finding', { code: 'CCM2013' }, 'CCM2013'],
    ['one of the gates that share a code', { code: 'CCM3104', gate: 'probes' }, 'CCM3104/probes'],
    ['a code, where the gate is empty', { code: 'CCM3104', gate: '' }, 'CCM3104'],
  ])('%s', (_case, about, subject) => {
    expect(commandSubject(about)).toBe(subject);
  });

  it.each<[string, string, string, boolean]>([
    ['the same gate', 'CCM3104/probes', 'CCM3104/probes', true],
    ['another gate of the same code', 'CCM3104/probes', 'CCM3104/nodes', false],
    ['a code alone, as older command lines signed', 'CCM3104', 'CCM3104/probes', true],
    ['a gate does not allow its whole code', 'CCM3104/probes', 'CCM3104', false],
    ['another code', 'CCM3103', 'CCM3104/probes', false],
    ['nothing allows only nothing', '', 'CCM3104', false],
    ['nothing allows nothing', '', '', true],
  ])('signed: %s', (_case, signed, wanted, allowed) => {
    expect(isAboutSubject(signed, wanted)).toBe(allowed);
  });
});
