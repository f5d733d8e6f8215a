import { parseDuration } from '../config/duration.js';
import { WrongUsage } from './refusal.js';

/** Reads flags by name; a flag that the verb does not declare reads as not given. */
export interface OptionReader {
  text(name: string): string | null;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
  /** Milliseconds; null when not given. */
  durationMs(name: string): number | null;
  number(name: string): number | null;
}

export function optionReader(values: Readonly<Record<string, unknown>>): OptionReader {
  const text = (name: string): string | null => {
    const value = values[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    text,
    texts: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.map(String) : [];
    },
    flag: (name) => values[name] === true,
    durationMs: (name) => {
      const written = text(name);
      return written === null ? null : requireDuration(name, written);
    },
    number: (name) => {
      const written = text(name);
      return written === null ? null : requireNumber(name, written);
    },
  };
}

function requireDuration(name: string, written: string): number {
  const ms = parseDuration(written);
  if (ms === null) {
    throw new WrongUsage(`--${kebab(name)} ${written}: write a duration such as 30m or 90s`);
  }
  return ms;
}

function requireNumber(name: string, written: string): number {
  const number = Number(written);
  if (!Number.isFinite(number) || number <= 0) {
    throw new WrongUsage(`--${kebab(name)} ${written}: write a number above 0`);
  }
  return number;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
