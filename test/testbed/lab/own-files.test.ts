import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { labCacheFolder } from '../../../testbed/lab/host/folders.js';
import { ownProgram } from '../../../testbed/lab/host/own-program.js';
import { NODE_INIT } from '../../../testbed/lab/nodes/lab-node.js';

/** What the lab starts lies at places that no compiler looks at. */
describe('what the lab starts is where it looks for it', () => {
  it('the program of the lab is where the lab looks for it', () => {
    expect(existsSync(ownProgram())).toBe(true);
  });

  it('the first process of a node is where the lab looks for it', () => {
    expect(existsSync(NODE_INIT)).toBe(true);
  });
});

it('the lab keeps what it builds below the cache of the project', () => {
  expect(labCacheFolder({ CCM_MIGRATE_CACHE: '/c' })).toBe('/c/lab');
  expect(labCacheFolder({ XDG_CACHE_HOME: '/x' })).toBe('/x/ccm-migrate/lab');
});
