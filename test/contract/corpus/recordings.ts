import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording } from './exchange.js';

const FOLDER = join(import.meta.dirname, 'recordings');

export function recordedScenarios(): readonly string[] {
  return readdirSync(FOLDER)
    .map((file) => file.replace(/\.json$/, ''))
    .sort();
}

export function readRecording(scenario: string): Recording {
  return JSON.parse(readFileSync(fileOf(scenario), 'utf8')) as Recording;
}

export function writeRecording(recording: Recording): void {
  writeFileSync(fileOf(recording.scenario), `${JSON.stringify(recording, null, 1)}\n`);
}

function fileOf(scenario: string): string {
  return join(FOLDER, `${scenario}.json`);
}
