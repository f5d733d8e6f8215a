import { codeDigest } from '../../config/build-id.js';
import type { Cli } from '../cli.js';
import type { ExitStatus } from '../exit-status.js';
import { isText, printDocument } from '../cli.js';
import { ownPackage } from '../tool-version.js';

/** `version`: the versions of this tool, Node and the Temporal SDK. */
export async function version(cli: Cli): Promise<ExitStatus> {
  const { version: own, dependencies } = await ownPackage();
  const versions = {
    version: own,
    build: await codeDigest(),
    node: process.versions.node,
    temporalSdk: dependencies['@temporalio/client'] ?? 'unknown',
    platform: `${process.platform}-${process.arch}`,
  };
  if (isText(cli)) {
    const { build, node, temporalSdk, platform } = versions;
    cli.terminal.out(
      `ccm-migrate ${own} (build ${build}, node ${node}, Temporal SDK ${temporalSdk}, ${platform})\n`,
    );
  } else {
    printDocument(cli, 'Version', versions);
  }
  return 'reached';
}
