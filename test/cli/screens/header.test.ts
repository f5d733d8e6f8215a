import { describe, expect, it } from '@jest/globals';
import { createTheme } from '../../../cli/terminal/theme.js';
import { figures, header } from '../../../cli/screens/header.js';
import { typable } from '../../../cli/screens/typable.js';
import { contactOf, endedView, FINDING, statusOf, viewOf } from '../given-runs.js';

const PLAIN = createTheme({ color: false, ascii: false });
const SEEN = { moves: 2, overlapSeconds: 0, orphanSeconds: 3 };

it.each([
  ['all time was observed', { ...SEEN, unknownSeconds: 0 }, 'none for 3.0 s'],
  [
    'some time was not observed',
    { ...SEEN, unknownSeconds: 21 },
    'none for 3.0 s, not known for 21.0 s',
  ],
])("the header shows the guard's figures when %s", (_case, seen, words) => {
  expect(figures(seen)).toBe(`2 moves, two leaders for 0.0 s, ${words}`);
});

function rows(view = viewOf(), nowMs = 1_042_000): readonly string[] {
  return header({ view, status: view.status, nowMs, extra: [] }, PLAIN);
}

function row(name: string, view = viewOf(), nowMs = 1_042_000): string {
  const found = rows(view, nowMs).find((each) => each.startsWith(`${name}:`));
  return found?.slice(name.length + 1).trim() ?? '';
}

describe('a run whose guard waits for a worker', () => {
  const contact = contactOf({ guardQueuedMs: 1_002_000 });
  const waits = statusOf({ holdReason: 'unserved', region: 'eu' });

  it('is queued, with where and since when, and is no trouble', () => {
    const view = viewOf({ contact, status: waits });
    expect(rows(view)[0]).toMatch(/^prod-1 {2}\S+ Queued\b/);
    expect(row('Guard', view)).toBe(
      'queued for 40.0 s: worker of region eu is full or busy, or none serves it',
    );
  });

  it('is held where a worker has its guard, which opens no fence', () => {
    const view = viewOf({ status: waits });
    expect(rows(view)[0]).toMatch(/^prod-1 {2}\S+ Held\b/);
    expect(row('Guard', view)).toBe('');
  });

  it('goes on as it does until it needs its guard', () => {
    const view = viewOf({ contact });
    expect(rows(view)[0]).toMatch(/^prod-1 {2}\S+ Progressing\b/);
    expect(row('Guard', view)).toBe('');
  });
});

describe('who leads', () => {
  it('the leader is shown with the age of its observation', () => {
    expect(row('Leader')).toMatch(/^KCM on cp-2, seen 2\.0 s ago · 1 move, two leaders/);
  });

  it('the leader is unknown from the last observation on', () => {
    const outage = { sinceMs: 1_041_000, attempts: 9, error: 'ECONNREFUSED', nextTryAtMs: null };
    const view = viewOf({ contact: contactOf({ outage }) });
    expect(row('Leader', view, 1_177_000)).toMatch(
      /^not known since 1970-01-01 00:17:20Z \(2 min 17 s\); then KCM on cp-2 · /,
    );
    expect(row('Cluster', view, 1_177_000)).toBe(
      'unreachable since 1970-01-01 00:17:21Z (2 min 16 s), 9 tries: ECONNREFUSED',
    );
    expect(rows(view, 1_177_000)[0]).toBe('prod-1  ✖ Unreachable 2 min 16 s');
  });

  it('figures are never zero before the first observation', () => {
    const view = viewOf({
      contact: contactOf({ seen: null }),
      status: statusOf({ owner: 'unknown' }),
    });
    expect(row('Leader', view)).toBe("not known yet · before the guard's first observation");
    expect(rows(view).join()).not.toContain('0.0 s');
  });

  it('the header shows one figure for the gap, and who requested the present target', () => {
    const requestedBy = { actor: 'bo@corp', reason: 'cause was found' };
    const turned = viewOf({ status: statusOf({ requestedBy, orphanMs: 7700 }) });
    expect(row('Target', turned)).toBe('CCM · requested by bo@corp: cause was found');
    const all = rows(turned).join('\n');
    expect(all.match(/none for/g)).toHaveLength(1);
    expect(all).not.toContain('7.7 s');
    expect(row('Leader', endedView())).toBe(
      '2 moves, two leaders for 0.0 s, none for 4.0 s, measured by the guard',
    );
  });

  it('the header names the nodes that do not answer', () => {
    const { seen } = contactOf();
    const view = viewOf({ contact: contactOf({ seen: seen && { ...seen, away: ['cp-3'] } }) });
    expect(row('Nodes', view)).toBe('no answer from cp-3');
  });

  it('an outage shows when the next attempt is due', () => {
    const outage = { sinceMs: 1_000_000, attempts: 4, error: 'timed out', nextTryAtMs: 1_050_000 };
    const view = viewOf({ contact: contactOf({ seen: null, outage }) });
    expect(row('Cluster', view)).toContain('4 tries, next in 8.0 s: timed out');
  });
});

it('the header shows when policy rolls the run back, and nothing where it does not', () => {
  const held = viewOf({ status: statusOf({ rollsBackAtMs: 1_000_000 }) });
  expect(row('Policy', held)).toBe('rolls back at 1970-01-01 00:16:40Z unless decided');
  expect(row('Policy')).toBe('');
});

it('the header shows what gates could not see, of the run and of its end', () => {
  const notes = [
    { gate: 'nodeSyncErrors', detail: '0 of 34 events: harm of 10 % would show' },
    { gate: 'taintRemovalDelay', detail: 'no manager serves its series' },
    { gate: 'initialNodeSyncDelay', detail: 'no manager serves its series' },
  ];
  const open = viewOf({ status: statusOf({ notes }) });
  for (const view of [open, endedView({ notes })]) {
    expect(rows(view).filter((each) => each.startsWith('Noted:'))).toEqual([
      expect.stringMatching(/nodeSyncErrors: 0 of 34 events: harm of 10 % would show$/),
      expect.stringMatching(/taintRemovalDelay, initialNodeSyncDelay: no manager serves/),
    ]);
  }
  expect(row('Noted')).toBe('');
});

describe('the first line', () => {
  const paused = statusOf({
    ...{ pause: 'paused', step: null, sinceMs: 1_000_000 },
    pausedBy: { actor: 'bo@corp', reason: 'investigating latency' },
  });

  it('the first line shows who paused the run, why and for how long, also during an outage', () => {
    const outage = { sinceMs: 1_041_000, attempts: 2, error: 'refused', nextTryAtMs: null };
    const view = viewOf({ status: paused, contact: contactOf({ outage }) });
    expect(rows(view, 3_460_000)[0]).toBe(
      'prod-1  ॥ Paused 41 min by bo@corp: "investigating latency"',
    );
  });

  it('the first line shows that the pause of an alert holds no rollback', () => {
    const alert = { actor: 'automation/am', reason: 'alert Errors' };
    const held = { ...paused, pausedBy: alert, alertPause: { ...alert, holds: true } };
    expect(rows(viewOf({ status: held }), 1_060_000)[0]).toBe(
      'prod-1  ॥ Paused 1 min by automation/am: "alert Errors"; a rollback would go on',
    );
    const back = { ...statusOf({}), alertPause: { ...alert, holds: false } };
    expect(rows(viewOf({ status: back }))[0]).toContain(
      ' · rolls back, although automation/am has paused it',
    );
  });

  it('the first line has the state within 60 columns for any name', () => {
    expect(rows(viewOf({ status: paused }))[0]?.slice(0, 60)).toContain('Paused');
  });

  it('the first line shows which fleet parked the run, also when nothing holds it any more', () => {
    const status = statusOf({ ...{ step: null, parkedBy: 'prod-eu' }, sinceMs: 1_040_000 });
    expect(rows(viewOf({ status }))[0]).toBe('prod-1  ॥ Parked 2.0 s · by fleet prod-eu');
    const held = { ...status, holdReason: 'gates', findings: [FINDING] } as const;
    expect(rows(viewOf({ status: held }))[0]).toBe(
      'prod-1  ॥ Parked 2.0 s · by fleet prod-eu · CCM1201',
    );
  });

  it('the first line shows why the run holds and since when', () => {
    const status = statusOf({ holdReason: 'gates', findings: [], sinceMs: 1_040_000 });
    expect(rows(viewOf({ status }))[0]).toBe('prod-1  ॥ Held 2.0 s');
  });
});

describe('a row that is wider than the screen', () => {
  it('a wide row continues below in its own column, and long words stay whole', () => {
    const view = endedView();
    const lines = header({ view, status: null, nowMs: 1_042_000, extra: [], width: 60 }, PLAIN);
    expect(lines).toContain('Next:     ccm-migrate check --cluster prod-1 -f /srv/fleet');
    expect(lines.slice(1, 3)).toEqual([
      'Leader:   2 moves, two leaders for 0.0 s, none for 4.0 s,',
      '          measured by the guard',
    ]);
  });
});

describe('a command that can be typed', () => {
  it('a suggested command has the files that it needs, and no others', () => {
    expect(row('Next', endedView())).toBe('ccm-migrate check --cluster prod-1 -f /srv/fleet');
    expect(row('or', endedView())).toBe('ccm-migrate rollback prod-1 -f /srv/fleet');
    expect(typable('ccm-migrate rollback prod-1', viewOf())).toBe('ccm-migrate rollback prod-1');
    const check = typable('ccm-migrate check --cluster prod-1', viewOf({ files: [] }));
    expect(check).toBe('ccm-migrate check --cluster prod-1 -f FILES');
    expect(typable('ccm-migrate explain CCM1101', endedView())).toBe('ccm-migrate explain CCM1101');
  });

  it('a suggested command asks the server that was named, where it asks one', () => {
    const server = ['--address', '127.0.0.1:7999', '--state-dir', '/srv/my state'];
    const named = "--address 127.0.0.1:7999 --state-dir '/srv/my state'";
    expect(typable('ccm-migrate retry prod-1', viewOf(), server)).toBe(
      `ccm-migrate retry prod-1 ${named}`,
    );
    expect(typable('ccm-migrate explain CCM1101', endedView(), server)).toBe(
      'ccm-migrate explain CCM1101',
    );
    const view = endedView();
    const shown = header({ view, status: view.status, nowMs: 0, extra: [], server }, PLAIN);
    const commands = shown.filter((line) => /^(?:Next|or):/.test(line));
    expect(commands.filter((line) => line.endsWith(named))).toEqual(commands);
    expect(commands.length).toBeGreaterThan(1);
  });

  it('a suggested command is quoted for the shell', () => {
    const files = ['/srv/a b', "$(reboot)'; reboot"];
    expect(typable('ccm-migrate check --cluster c', viewOf({ files }))).toBe(
      `ccm-migrate check --cluster c -f '/srv/a b' -f '$(reboot)'\\''; reboot'`,
    );
  });
});
