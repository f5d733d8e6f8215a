import { z } from 'zod';
import { GATE_CATALOGUE } from '../../domain/gates/catalogue/gate-catalogue.js';
import { OBJECT_GATES } from '../../domain/gates/objects/object-gates.js';
import { duration, durationMs } from '../duration.js';
import { ownGate } from './own-gates.js';

const NAMES: readonly string[] = [...GATE_CATALOGUE, ...OBJECT_GATES].map(({ name }) => name);

const gateName = z.string().refine((name) => NAMES.includes(name), {
  message: 'is no gate: `ccm-migrate gates list` names them',
});

/** How gates on metrics are judged, as written in a policy. */
export const metricGates = z
  .strictObject({
    catalogue: z.enum(['nodes', 'off']).default('nodes').meta({
      description:
        "Where the catalogue's gates are read: on each manager's own page, through its node. off judges none of them.",
    }),
    objects: z.enum(['watch', 'off']).default('watch').meta({
      description:
        'Whether Services, routes and Nodes that fail and did not before the run, and an owner that does not see the cloud, hold.',
    }),
    except: z.array(gateName).max(100).default([]).meta({
      description: 'Gates that are left out.',
    }),
    every: duration('1s', '5m', 'How far apart samples are.').default('15s'),
    unmeasured: duration(
      '2s',
      '1h',
      'A gate that was last measured longer ago holds writes and soaks.',
    ).default('2m'),
    quiet: z.enum(['note', 'hold']).default('note').meta({
      description: 'Whether too few events to say anything are noted, or hold.',
    }),
    falseAlarms: z.number().min(0.0001).max(0.2).default(0.01).meta({
      description: 'How probable it may be that a whole run in which nothing is wrong fails.',
    }),
    tolerance: z.number().min(1).max(10).default(1.5).meta({
      description: 'The ratio of bad events may be so many times the usual one.',
    }),
    own: z.array(ownGate).max(10).default([]).meta({
      description:
        "The operator's own gates, judged on the cluster's Prometheus (metrics.prometheus of the inventory).",
    }),
  })
  .superRefine(({ own }, context) => {
    for (const [index, { name }] of own.entries()) {
      if (own.findIndex((other) => other.name === name) === index) continue;
      const message = 'is the name of another gate of this list';
      context.addIssue({ code: 'custom', path: ['own', index, 'name'], message, input: name });
    }
  })
  .refine(({ every, unmeasured }) => durationMs(unmeasured) >= 2 * durationMs(every), {
    path: ['unmeasured'],
    message: 'must be at least twice every: one sample that is late would hold the run',
  })
  .meta({ description: 'Gates on the metrics of KCM and CCM, and on objects (docs/gates.md).' });
