import type { FleetNeed, FleetReport } from '../fleet/fleet-report.js';

/** Who asks for the fleet; those who approve are others. */
export const REQUESTER = 'rehearsal';

/** A command of the rehearsal, as people would give it. */
export interface RehearsalAnswer {
  /** The need that it is for. */
  readonly need: string;
  /** Without reason and server. */
  readonly words: readonly string[];
  readonly told: string;
}

interface Asked {
  readonly fleet: string;
  /** How many must approve each wave, by its name. */
  readonly quorums: ReadonlyMap<string, number>;
}

/** A need as it is remembered while it lasts. */
export function needKey({ kind, subject, names }: FleetNeed): string {
  return [kind, subject, ...names].join(' ');
}

/** What the people of a rehearsal say to everything that is asked and was not answered yet. */
export function answersTo(
  { needs }: Pick<FleetReport, 'needs'>,
  answered: ReadonlySet<string>,
  asked: Asked,
): readonly RehearsalAnswer[] {
  return needs
    .filter((need) => !answered.has(needKey(need)))
    .flatMap((need) => answers(need, asked));
}

function answers(need: FleetNeed, { fleet, quorums }: Asked): readonly RehearsalAnswer[] {
  const key = needKey(need);
  switch (need.kind) {
    case 'approval': {
      const wave = need.subject.replace(/^wave /, '');
      return Array.from({ length: quorums.get(wave) ?? 1 }, (_, index) => {
        const actor = `${REQUESTER}-${index + 2}`;
        return {
          need: key,
          words: ['approve', `${fleet}/wave/${wave}`, '--actor', actor],
          told: `wave ${wave}: approved by rehearsal (${actor})`,
        };
      });
    }
    case 'held':
    case 'failed':
      return need.names.map((name) => ({
        need: key,
        words: ['rollback', `${fleet}/${name}`, '--actor', REQUESTER],
        told: `${name} is ${need.kind}: rolled back by rehearsal`,
      }));
    default:
      return [];
  }
}

const MOVING: ReadonlySet<string> = new Set(['active', 'soaking', 'parking']);

/** Whether nothing goes on without a person, and that person is none of the rehearsal. */
export function isStuck(
  { needs, phases }: Pick<FleetReport, 'needs' | 'phases'>,
  answered: ReadonlySet<string>,
): boolean {
  const open = needs.filter((need) => !answered.has(needKey(need)));
  return (
    needs.length > 0 &&
    open.every(({ kind }) => kind !== 'approval') &&
    !Object.values(phases).some((phase) => MOVING.has(phase))
  );
}
