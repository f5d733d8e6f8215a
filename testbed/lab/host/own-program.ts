import { existsSync } from 'node:fs';
import { compiledProgram } from '../../../devserver/package-files.js';
import { LabUnavailable } from './lab-unavailable.js';

/** The lab's own program, which runs as daemon, watchdog and witness too. @throws LabUnavailable where it is not built. */
export function ownProgram(): string {
  const program = compiledProgram('testbed', 'lab', 'main.js');
  if (existsSync(program)) return program;
  throw new LabUnavailable(`${program} is not there, and the lab runs it: npm run build`);
}
