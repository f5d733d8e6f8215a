import { readFile } from 'node:fs/promises';
import { packageFile } from '../devserver/package-files.js';

interface PackageJson {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Our own package.json. */
export async function ownPackage(): Promise<PackageJson> {
  const text = await readFile(packageFile('package.json'), 'utf8');
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own package.json, shipped with us
  return JSON.parse(text) as PackageJson;
}

/** For example `ccm-migrate 0.1.0`: part of plans and exports. */
export async function toolVersion(): Promise<string> {
  return `ccm-migrate ${(await ownPackage()).version}`;
}
