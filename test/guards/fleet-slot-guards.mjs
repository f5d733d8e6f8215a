/** Guards of a fleet's slots: what crosses an order, what is not begun any more, and what never had one. */
const REPORTS = 'domain/fleet/member-reports.ts';
const COMMANDS = 'domain/fleet/row-commands.ts';
const ROWS = 'domain/fleet/fleet-rows.ts';
const STARTS = 'domain/fleet/start-answers.ts';
const OUTBOX = 'domain/fleet/fleet-outbox.ts';
const reports = { tests: ['test/domain/fleet/reports.test'] };
const soaks = { tests: ['test/domain/fleet/waves.test'], only: 'a soak without end' };
const late = (only) => ({ tests: ['test/domain/fleet/late-starts.test'], only });
const outbox = (only) => ({ tests: ['test/domain/fleet/fleet-outbox.test'], only });

export const FLEET_SLOT_GUARDS = [
  {
    name: 'fleet slots: a run that parked in its soak waits for a slot',
    file: REPORTS,
    from: "return row.phase === 'parked' ? row : inPhase",
    to: "return row.phase === 'parked' || row.phase === 'soaking' ? row : inPhase",
    ...reports,
  },
  {
    name: 'fleet slots: a park that a run went past is not sent',
    file: OUTBOX,
    from: ' || isOvertaken(message, row)) continue;',
    to: ') continue;',
    ...outbox('a park is void'),
  },
  {
    name: 'fleet slots: a soak that lasts too long never goes on by itself',
    file: REPORTS,
    from: "const isOver = row.cause !== 'soakLimit' && (",
    to: 'const isOver = (',
    ...soaks,
  },
  {
    name: 'fleet slots: nor does it wait for what heals in it',
    file: REPORTS,
    from: "heals: row.cause !== 'soakLimit', ",
    to: 'heals: true, ',
    ...soaks,
  },
  {
    name: 'fleet slots: a turned run is no soak any more',
    file: ROWS,
    from: "...{ cause: 'none', changeFromMs: null },\n  });\n  return changed(state, active, [{ kind: 'turn'",
    to: "...{ changeFromMs: null },\n  });\n  return changed(state, active, [{ kind: 'turn'",
    ...soaks,
  },
  {
    name: 'fleet slots: nor is one that turned by itself',
    file: REPORTS,
    from: "    cause: 'none',\n  });\n  return changed(burn",
    to: '  });\n  return changed(burn',
    ...soaks,
  },
  {
    name: 'fleet slots: what may not begin any more does not',
    file: OUTBOX,
    from: "else if (isLate(start, row)) answers.push(answered(start, 'keptBack'));",
    to: '',
    ...late('does not begin'),
  },
  {
    name: 'fleet slots: nor in any fleet',
    file: OUTBOX,
    from: "else if (isLate(start, row)) answers.push(answered(start, 'keptBack'));",
    to: '',
    ...late('a start of any fleet'),
  },
  {
    name: 'fleet slots: nor what goes back by now',
    file: OUTBOX,
    from: 'row.target !== FORWARD || beginObstacle',
    to: 'beginObstacle',
    ...late('is replaced by its rollback'),
  },
  {
    name: 'fleet slots: what was admitted for the last pass may begin',
    file: 'domain/fleet/wait-reasons.ts',
    from: '{ ...row, asked: true }',
    to: 'row',
    ...late('of the last pass'),
  },
  {
    name: 'fleet slots: and waits for it no longer',
    file: STARTS,
    from: 'asked: row.lastPass, ',
    to: '',
    ...late('of the last pass'),
  },
  {
    name: 'fleet slots: a stop that crosses it ends it',
    file: STARTS,
    from: "  if (row.stopping) return ended(state, row, { phase: 'stopped', cause: 'stop' });\n",
    to: '',
    ...late('is to stop'),
  },
  {
    name: 'fleet slots: what never began is told nothing',
    file: OUTBOX,
    from: '!isUnproven(row) || isOvertaken',
    to: 'hasEnded(row) || isOvertaken',
    ...outbox('one that a pause overtook'),
  },
  {
    name: 'fleet slots: what never began does not go back later',
    file: STARTS,
    from: '  if (neverBegan(row)) return',
    to: "  if (neverBegan(row) && cause === 'none') return",
    ...late('leaves it out'),
  },
  {
    name: 'fleet slots: nor what ended before it began',
    file: REPORTS,
    from: '...(isChanged ? { reversibility } : {})',
    to: 'reversibility',
    ...late('leaves it out where its run'),
  },
  {
    name: 'fleet slots: what failed to start is left out by a rollback',
    file: COMMANDS,
    from: 'if (!isUnproven(row) && neverBegan(row)) {',
    to: "if (row.phase === 'waiting' && neverBegan(row)) {",
    ...late('asked for after a start has failed'),
  },
  {
    name: 'fleet slots: what waits half-way is not',
    file: COMMANDS,
    from: 'if (!isUnproven(row) && neverBegan(row)) {',
    to: "if ((row.phase === 'waiting' && row.burntMs === null) || (!isUnproven(row) && neverBegan(row))) {",
    ...late('though it waits to be tried again'),
  },
  {
    name: 'fleet slots: an open run turns',
    file: COMMANDS,
    from: 'if (!isUnproven(row) && neverBegan(row)) {',
    to: 'if (neverBegan(row)) {',
    ...late('turns what has not reported yet'),
  },
  {
    name: 'fleet slots: what stopped half-way does',
    file: ROWS,
    from: " && row.reversibility === 'unknown';",
    to: ';',
    ...late('is tried later where'),
  },
];
