import type { Cli } from '../../../cli/cli.js';
import type { ProgramResult } from '../../../devserver/run-program.js';
import { textAt } from '../../base/json.js';
import type { DemoFleet } from './fleet-environment.js';
import { isChange } from './fleet-journal.js';
import type { FleetReport } from './fleet-report.js';
import { FLEET_STORY as STORY } from './fleet-story.js';
import { runCommand, shownCommand } from './typed-commands.js';

/** What the demo does to a fleet on its way, and what came of it. */
export interface Deeds {
  readonly kills: number;
  readonly isCutOff: boolean;
  readonly ownApprovalRefused: boolean;
  readonly approvedAtMs: number | null;
}

export const NO_DEEDS: Deeds = {
  kills: 0,
  isCutOff: false,
  ownApprovalRefused: false,
  approvedAtMs: null,
};

export interface DeedContext {
  readonly cli: Cli;
  readonly environment: DemoFleet;
  readonly speed: number;
  /** `--state-dir FOLDER`, for commands. */
  readonly server: readonly string[];
  readonly tell: (line: string) => void;
}

/** Whatever is due at this moment of the fleet, done. */
export async function nextDeeds(
  context: DeedContext,
  report: FleetReport,
  done: Deeds,
): Promise<Deeds> {
  const killed = done.kills > 0 ? done : await killWorker(context, report, done);
  const cut = killed.isCutOff ? killed : await cutOffRegion(context, report, killed);
  return cut.approvedAtMs === null ? approve(context, report, cut) : cut;
}

/** In the first wave, once a cluster of its region is half changed. */
async function killWorker(context: DeedContext, report: FleetReport, done: Deeds): Promise<Deeds> {
  const { environment, tell } = context;
  const others = STORY.pilot.filter((name) => name !== STORY.canary);
  if (!(await isChanging(environment, report, STORY.killed, others))) return done;
  const pid = environment.workers.get(STORY.killed)?.current().pid;
  if (pid === undefined) return done;
  tell(`kill -9 ${String(pid)}: the worker of region ${STORY.killed}`);
  process.kill(pid, 'SIGKILL');
  return { ...done, kills: done.kills + 1 };
}

/** Long enough for every run there to notice. */
const CUT_OFF_MS = 10_000;

/** In the main wave, once a cluster of its region is half changed. */
async function cutOffRegion(
  { environment, speed, tell }: DeedContext,
  report: FleetReport,
  done: Deeds,
): Promise<Deeds> {
  if (!(await isChanging(environment, report, STORY.blipped, STORY.main))) return done;
  const there = environment.members.filter(({ region }) => region === STORY.blipped);
  await Promise.all(there.map(({ control }) => control.cutOff(CUT_OFF_MS * speed)));
  tell(`region ${STORY.blipped} cannot be reached for ${String(CUT_OFF_MS / 1000)} s`);
  return { ...done, isCutOff: true };
}

/** Whether one of these clusters, in this region, was changed and goes on. */
async function isChanging(
  { members }: Pick<DemoFleet, 'members'>,
  { phases }: FleetReport,
  place: string,
  names: readonly string[],
): Promise<boolean> {
  const candidates = members.filter(
    ({ name, region }) => region === place && names.includes(name) && phases[name] === 'active',
  );
  for (const { control } of candidates) {
    if ((await control.journal(0)).filter(isChange).length >= HALF_CHANGED) return true;
  }
  return false;
}

/** Of some forty changes of one cluster; the first ten only prepare. */
const HALF_CHANGED = 12;

/** First by the person who asked for the fleet, who must be refused; then by another one. */
async function approve(context: DeedContext, report: FleetReport, done: Deeds): Promise<Deeds> {
  const { cli, environment, server, tell } = context;
  if (!report.needs.some(({ kind }) => kind === 'approval')) return done;
  const answerTo = async (actor: string): Promise<string> => {
    const words = ['approve', `${STORY.fleet}/wave/last`, '--actor', actor];
    const reason = ['--reason', 'the main wave is proven', '--yes'];
    tell(`$ ${shownCommand(...words, ...reason, ...server)}`);
    return answerOf(await runCommand(cli, [...words, ...reason, '-o', 'json', ...server]));
  };
  const own = await answerTo(STORY.requester);
  tell(`${own}: ${STORY.requester} had asked for the fleet`);
  const atMs = (await environment.members[0]?.control.truth())?.nowMs ?? null;
  const other = await answerTo(STORY.approver);
  tell(other);
  const isApplied = other === 'applied';
  return {
    ...done,
    ownApprovalRefused: own === 'refused',
    approvedAtMs: isApplied ? atMs : null,
  };
}

/** The code of a command that a fleet or run does not accept. */
const NOT_ACCEPTED = 'CCM4005';

/** What the fleet made of a command: `applied`, `refused`, …; the last words of one that it never heard of. */
function answerOf({ stdout, stderr }: Pick<ProgramResult, 'stdout' | 'stderr'>): string {
  const document = documentIn(stdout);
  if (textAt(document, 'code') === NOT_ACCEPTED) return 'refused';
  return textAt(document, 'state') || `not answered: ${stderr.trim()}`;
}

/** Null where the command ended before it had an answer. */
function documentIn(stdout: string): unknown {
  try {
    return JSON.parse(stdout) as unknown;
  } catch {
    return null;
  }
}
