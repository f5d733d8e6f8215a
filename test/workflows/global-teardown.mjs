import { rm } from 'node:fs/promises';

/** Ends what global-setup.mjs began; a server that was there before stays. */
export default async function globalTeardown() {
  const { folder, server } = globalThis.ccmWorkflowTests;
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
