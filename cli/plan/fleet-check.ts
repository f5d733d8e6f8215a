import type { Fleet } from '../../config/fleet.js';
import type { CheckResult } from '../../domain/preflight/preflight.js';
import type { CheckedMember, ReadMember } from './check-members.js';
import type { FindingGroup, FoundAt } from './finding-groups.js';
import { groupFindings } from './finding-groups.js';

/** In how many clusters a check ended how. */
export interface CheckCounts extends Pick<CheckResult, 'section' | 'name' | 'codes'> {
  readonly results: Readonly<Record<CheckResult['result'], number>>;
}

/** The check of a whole fleet, as `-o json` prints it. */
export interface FleetCheck {
  readonly fleet: string;
  readonly clusters: readonly {
    readonly name: string;
    readonly wave: string;
    readonly region: string;
    readonly uid: string | null;
    readonly observationDigest: string | null;
    /** Not empty without node access: what was inferred. */
    readonly notChecked: readonly string[];
  }[];
  readonly unread: readonly {
    readonly name: string;
    readonly kind: 'unreachable' | 'refused';
    readonly code: string;
    readonly seen: string;
    readonly fix: string;
  }[];
  readonly checks: readonly CheckCounts[];
  readonly findings: readonly FindingGroup[];
  /** Of the fleet itself, in words. */
  readonly notChecked: readonly string[];
}

/** Joins what was found in clusters with what was found about the fleet; `isChosen` is what `--only` and `--skip` leave. */
export function fleetCheckOf(
  fleet: Fleet,
  members: readonly CheckedMember[],
  {
    ofFleet,
    notChecked,
    isChosen,
  }: {
    readonly ofFleet: readonly FoundAt[];
    readonly notChecked: readonly string[];
    readonly isChosen: (code: string) => boolean;
  },
): FleetCheck {
  const read = members.filter((member) => member.kind === 'read');
  const found = read.flatMap(({ name, findings }) =>
    findings.map((finding) => ({ finding, clusters: [name] })),
  );
  return {
    fleet: fleet.name,
    clusters: members.map((member, index) => ({
      name: member.name,
      wave: fleet.waves[fleet.rows[index]?.wave ?? 0]?.plan.name ?? '',
      region: fleet.clusters[index]?.region ?? '',
      uid: member.kind === 'read' ? member.uid : null,
      observationDigest: member.kind === 'read' ? member.observationDigest : null,
      notChecked: member.kind === 'read' ? member.notChecked : [],
    })),
    unread: members.flatMap((member) =>
      member.kind === 'unread' ? [{ name: member.name, ...member.why }] : [],
    ),
    checks: checkCounts(read).filter(({ codes }) => codes.some(isChosen)),
    findings: groupFindings([...ofFleet, ...found].filter(({ finding }) => isChosen(finding.code))),
    notChecked,
  };
}

/** Every cluster is checked by the same checks, in the same order. */
function checkCounts(read: readonly ReadMember[]): readonly CheckCounts[] {
  const [first] = read;
  const all = read.flatMap(({ checks }) => checks);
  return (first?.checks ?? []).map(({ section, name, codes }) => {
    const results = { passed: 0, presumed: 0, found: 0, notChecked: 0 };
    for (const check of all) {
      if (check.section === section && check.name === name) results[check.result] += 1;
    }
    return { section, name, codes, results };
  });
}
