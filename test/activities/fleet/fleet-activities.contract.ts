import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  FleetActivities,
  OthersInput,
  StartClustersInput,
} from '../../../activities/fleet-contract.js';
import type { RunStart } from '../../../activities/run-start.js';
import type { Target } from '../../../domain/vocabulary.js';

/** The runs of a server, the activities of a fleet on them, and what happens to the runs meanwhile. */
export interface FleetPlace {
  readonly activities: FleetActivities;
  /** Row by name: each case has a cluster of its own. */
  readonly row: (name: string) => number;
  readonly ref: {
    readonly fleetWorkflowId: string;
    readonly fleetRun: string;
    readonly execution: string;
  };
  readonly nowMs: () => number;
  /** The last answer of `start` is lost: the server carried it out. */
  readonly loseNextAnswer: () => void;
  /** A run that a person starts on its own. */
  readonly startAlone: (
    name: string,
    changes?: Partial<RunStart>,
    requestId?: string,
    groups?: readonly string[] | null,
  ) => Promise<string>;
  readonly end: (name: string, how: 'done' | 'stopped' | 'terminated') => Promise<void>;
  readonly startsOf: (name: string) => Promise<number>;
  readonly planDigestOf: (name: string) => Promise<string>;
  /** Asks until the listing, which may lag, shows what is wanted. */
  readonly until: <Seen>(
    ask: () => Promise<Seen>,
    wanted: (seen: Seen) => boolean,
  ) => Promise<Seen>;
  readonly close: () => Promise<void>;
}

/** Clusters of the cases, in the order of their rows. */
export const CASES = [
  ...['fresh', 'repeated', 'repeated-ended', 'lost', 'own', 'joined', 'other-plan', 'back'],
  ...['again', 'early-end', 'over', 'terminated', 'finished', 'told', 'asked-once'],
  ...['refused', 'behind'],
  ...['counted', 'of-another', 'alone', 'adopted', 'soaks', 'unlabelled'],
] as const;

/** Characters of an order that is longer than a server takes. */
const LONGEST_ORDER = 2_500_000;

/** Labels of a cluster for which no cap is; a server keeps no empty list. */
export const UNCAPPED: readonly string[] = ['region=test'];

export function groupsOfCase(name: Case): readonly string[] {
  return name === 'counted' ? ['zone=a', 'rack=x'] : UNCAPPED;
}

type Case = (typeof CASES)[number];

/** What the activities of fleets do, whatever keeps the runs. */
export function fleetActivitiesContract(name: string, open: () => Promise<FleetPlace>): void {
  describe(`the activities of a fleet on ${name}`, () => {
    let place: FleetPlace;
    beforeAll(async () => {
      place = await open();
    });
    afterAll(() => place.close());

    const orderFor = (of: Case, grant = 1, target: Target = 'ccm'): StartClustersInput => ({
      ...place.ref,
      askedAtMs: place.nowMs(),
      starts: [{ row: place.row(of), grant, target, actor: 'ana', reason: 'CHG-1' }],
    });
    const start = async (...given: Parameters<typeof orderFor>): Promise<string> => {
      const answers = await place.activities.startClusters(orderFor(...given));
      return answers.map(({ answer }) => answer).join();
    };

    it('a cluster is started with the plan that people have seen', async () => {
      expect(await start('fresh')).toBe('started');
      expect(await place.startsOf('fresh')).toBe(1);
      expect(await place.planDigestOf('fresh')).toBe('sha256:fresh');
    });

    it('a start that is repeated starts nothing twice', async () => {
      const order = orderFor('repeated');
      await place.activities.startClusters(order);
      const [again] = await place.activities.startClusters(order);
      expect(again).toMatchObject({ answer: 'started' });
      expect(await place.startsOf('repeated')).toBe(1);
    });

    it('a start that is repeated after its run has ended starts nothing twice', async () => {
      const order = orderFor('repeated-ended');
      await place.activities.startClusters(order);
      await place.end('repeated-ended', 'done');
      const [again] = await place.activities.startClusters(order);
      expect(again).toMatchObject({ answer: 'started' });
      expect(await place.startsOf('repeated-ended')).toBe(1);
    });

    it('a start whose answer was lost is found again', async () => {
      place.loseNextAnswer();
      await expect(start('lost')).rejects.toThrow();
      expect(await start('lost')).toBe('started');
      expect(await place.startsOf('lost')).toBe(1);
    });

    it('a request that arrives again after its run has ended starts nothing', async () => {
      expect(await place.startAlone('asked-once', {}, 'once')).toBe('started');
      await place.end('asked-once', 'done');
      expect(await place.startAlone('asked-once', {}, 'once')).toBe('started');
      expect(await place.startsOf('asked-once')).toBe(1);
    });

    it('a cluster that another fleet moves is busy, and says by whom', async () => {
      const member = {
        fleetWorkflowId: 'fleet-migration/other',
        fleetRun: 'other',
        row: 0,
        grant: 1,
      };
      await place.startAlone('own', { fleet: 'other', member, planDigest: 'sha256:own' });
      const [answer] = await place.activities.startClusters(orderFor('own'));
      expect(answer).toMatchObject({ answer: 'busy', signature: 'fleet other by cy: CHG-9' });
    });

    it('a run of its own with the same plan and target becomes a member, also when it is asked twice', async () => {
      await place.startAlone('joined', { planDigest: 'sha256:joined' });
      expect(await start('joined')).toBe('adopted');
      expect(await start('joined')).toBe('adopted');
      expect(await place.startsOf('joined')).toBe(1);
    });

    it('a run of its own with another plan stays its own', async () => {
      await place.startAlone('other-plan', { planDigest: 'sha256:different' });
      const [answer] = await place.activities.startClusters(orderFor('other-plan'));
      expect(answer).toMatchObject({ answer: 'busy', signature: 'a run of its own by cy: CHG-9' });
    });

    it('a rollback follows the run of its row, and is planned by its own check', async () => {
      await start('back');
      await place.end('back', 'done');
      expect(await start('back', 2, 'kcm')).toBe('started');
      expect(await place.startsOf('back')).toBe(2);
      expect(await place.planDigestOf('back')).toMatch(/^sha256:0+$/);
    });

    it('another try after a run that changed its cluster is planned by its own check', async () => {
      await start('again');
      await place.end('again', 'stopped');
      expect(await start('again', 2)).toBe('started');
      expect(await place.planDigestOf('again')).toMatch(/^sha256:0+$/);
    });

    it('a run that ended after the fleet asked is not followed at once: an attempt may have adopted it', async () => {
      await place.startAlone('early-end');
      const order = orderFor('early-end');
      await place.end('early-end', 'done');
      const [answer] = await place.activities.startClusters(order);
      expect(answer).toMatchObject({ answer: 'queued' });
      expect(await place.startsOf('early-end')).toBe(1);
    });

    it('an order reaches an open run, and one to a run that has ended is over', async () => {
      await start('told');
      await start('over');
      await place.end('over', 'done');
      const { fleetRun } = place.ref;
      const messages = (['told', 'over', 'told'] as const).map((of) => ({
        ...{ fleetRun, row: place.row(of), grant: 1, order: { kind: 'park' } as const },
      }));
      const deliveries = await place.activities.broadcast({ ...place.ref, messages });
      expect(deliveries.map(({ outcome }) => outcome)).toEqual(['sent', 'over', 'sent']);
    });

    it('an order that the server refuses keeps no other from its run', async () => {
      await start('refused');
      await start('behind');
      const { fleetRun } = place.ref;
      const ordered = (of: Case, reason: string) => ({
        ...{ fleetRun, row: place.row(of), grant: 1 },
        order: { kind: 'brake', commandId: of, by: { actor: 'ana', reason } } as const,
      });
      const tooLong = ordered('refused', 'r'.repeat(LONGEST_ORDER));
      const messages = [tooLong, ordered('over', 'CHG-1'), ordered('behind', 'CHG-1')];
      const deliveries = await place.activities.broadcast({ ...place.ref, messages });
      expect(deliveries.map(({ outcome }) => outcome)).toEqual(['unreachable', 'over', 'sent']);
    });

    it('a sweep finds what was terminated, what ended unheard, and lets open runs go on', async () => {
      await start('terminated');
      await start('finished');
      await place.end('terminated', 'terminated');
      await place.end('finished', 'done');
      const rows = (['terminated', 'finished', 'told'] as const).map((of) => ({
        ...{ row: place.row(of), grant: 1 },
      }));
      const { found } = await place.activities.sweep({ ...place.ref, rows });
      expect(found).toEqual([
        { row: place.row('terminated'), grant: 1, found: { kind: 'terminated' } },
        {
          ...{ row: place.row('finished'), grant: 1 },
          found: expect.objectContaining({ kind: 'ended', outcome: 'proven', changed: true }),
        },
      ]);
    });

    it('open runs of others are counted in the groups for which there is a cap', async () => {
      const fleet = { fleetWorkflowId: 'fleet-migration/other', fleetRun: 'other' };
      const member = { ...fleet, row: 0, grant: 1 };
      const zone = ['zone=a', 'rack=x', 'zone=b'];
      const seen = async (of: Partial<OthersInput> = {}): Promise<string> => {
        const asked = { ...place.ref, labels: ['zone'], open: [place.row('adopted')], ...of };
        const { counts, unlabelled } = await place.activities.countOthers(asked);
        return JSON.stringify([counts, unlabelled]);
      };
      const shows = async (wanted: string, of?: Partial<OthersInput>): Promise<void> => {
        const shown = await place.until(
          () => seen(of),
          (each) => each === wanted,
        );
        expect(shown).toBe(wanted);
      };
      expect(await seen()).toBe('[{},0]');
      await start('counted');
      await place.startAlone('of-another', { fleet: 'other', member }, 'of-another', zone);
      await place.startAlone('alone', {}, 'alone', ['zone=a']);
      await place.startAlone('adopted', {}, 'adopted', ['zone=a']);
      await place.startAlone('soaks', {}, 'soaks', ['zone=a']);
      await place.startAlone('unlabelled', {}, 'unlabelled', null);
      // Neither the run that was started for a row nor the one that was adopted, and none that soaks.
      await shows('[{"zone=a":2},1]');
      await shows('[{"zone=a":3},1]', { open: [] });
      await shows('[{"rack=x":1},1]', { labels: ['rack'] });
      await shows('[{"zone=a":4},1]', { fleetRun: 'another', open: [] });
      await place.end('alone', 'terminated');
      await place.end('unlabelled', 'terminated');
      await shows('[{"zone=a":1},0]');
    });
  });
}
