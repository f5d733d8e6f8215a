import { readMemberProof } from '../../domain/authority/member-tree.js';
import type { SignedWave } from '../../domain/authority/member-tree.js';
import { readEnvelope } from '../../domain/authority/signed-envelope.js';
import {
  fieldsOf,
  readCount,
  readEach,
  readText,
  whenAll,
} from '../../domain/fleet/read-fields.js';
import type { CarriedMember, RunAuthority } from '../contract.js';

/** What came with the run: anyone may have written it. Null where it is not what it should be. */
export function readAuthority(value: unknown): RunAuthority | null {
  const given = fieldsOf(value);
  const start = readEnvelope(given['start']);
  const commands = readEach(given['commands'], readEnvelope);
  if (start === null || commands === null || commands.length > MOST_COMMANDS) return null;
  if (given['member'] === undefined) return { start, commands };
  const member = readCarriedMember(given['member']);
  return member === null ? null : { start, commands, member };
}

/** More than a direction rests on. */
const MOST_COMMANDS = 64;
/** As many as a wave may name, and ask: config/kinds/wave.ts. */
const MOST_APPROVERS = 1000;
const MOST_APPROVALS = 100;

function readCarriedMember(value: unknown): CarriedMember | null {
  const { materials, proof, grant, wave, approvals } = fieldsOf(value);
  const read = { materials: readText(materials), proof: readMemberProof(proof) };
  const member = whenAll({ ...read, grant: readCount(grant) });
  if (member === null || wave === undefined) return member;
  const approved = whenAll({
    wave: readSignedWave(wave),
    approvals: readEach(approvals, readEnvelope),
  });
  if (approved === null || approved.approvals.length > MOST_APPROVALS) return null;
  return { ...member, ...approved };
}

function readSignedWave(value: unknown): SignedWave | null {
  const { index, revision, before, approvers } = fieldsOf(value);
  const read = whenAll({
    ...{ index: readCount(index), revision: readCount(revision), before: readCount(before) },
    people: approvers === null ? [] : readEach(approvers, readText),
  });
  if (read === null || read.people.length > MOST_APPROVERS) return null;
  const { people, ...wave } = read;
  return { ...wave, approvers: approvers === null ? null : people };
}
