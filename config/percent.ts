import { z } from 'zod';

const PATTERN = /^\d{1,3}%$/;

/** A share in whole percent with its sign, from 1% to 100%; its purpose is shown in the published schema. */
export function percent(purpose: string) {
  return z
    .string()
    .regex(PATTERN, 'write a whole percentage with its sign, for example 25%')
    .refine((written) => !PATTERN.test(written) || isShare(percentOf(written)), {
      message: 'must be between 1% and 100%',
    })
    .meta({ description: `${purpose} Between 1% and 100%.` });
}

/** The number of a percentage that the schema has already accepted. */
export function percentOf(validated: string): number {
  return Number(validated.slice(0, -1));
}

function isShare(value: number): boolean {
  return value >= 1 && value <= 100;
}
