import { z } from 'zod';

/** In the order of `Date.getUTCDay`. */
export const WEEKDAYS = ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'] as const;

const from = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'write a time as HH:MM, from 00:00 to 23:59');

const to = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'write a time as HH:MM, from 00:00 to 24:00');

/** A time of the week, on the clocks of one time zone. */
export const maintenanceWindow = z.strictObject({
  days: z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .max(7)
    .default([...WEEKDAYS])
    .meta({ description: 'Days on which the window opens; every day when omitted.' }),
  from: from.default('00:00').meta({ description: 'When it opens, as HH:MM.' }),
  to: to.default('24:00').meta({
    description:
      'When it closes, as HH:MM: on the next day where that is not later than from. 24:00 is the end of the day.',
  }),
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .meta({ description: 'IANA time zone of its clock, for example Europe/Berlin.' }),
});

export type MaintenanceWindow = z.output<typeof maintenanceWindow>;
