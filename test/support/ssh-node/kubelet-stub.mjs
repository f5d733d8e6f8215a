// Acts as a kubelet: reads its flags when it starts, and exits at once with a provider that it does not know.
import { setInterval } from 'node:timers';

const [provider = ''] = process.argv.flatMap(
  (word) => word.match(/(?<=^--cloud-provider=).*/) ?? [],
);
if (!['', 'labcloud', 'external'].includes(provider)) process.exit(1);
setInterval(() => undefined, 3_600_000);
