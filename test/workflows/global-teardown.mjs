import { rm } from 'node:fs/promises';

/** Stops what global-setup.mjs started; a server that ran before stays. */
export default async function globalTeardown() {
  const { folder, server } = globalThis.ccmWorkflowTests;
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
