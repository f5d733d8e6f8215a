import {
  editManagerManifest,
  type ManifestEdits,
} from '../../../domain/manifests/edit-manifest.js';
import type { RenderRequest } from '../../../domain/manifests/render-manager.js';
import { renderManager } from '../../../domain/manifests/render-manager.js';
import type { Rendering } from '../../../domain/manifests/rendered.js';
import { CCM_POD, KCM, policyWith } from './given-manifests.js';

export function render(want: RenderRequest['want'], parts: Partial<RenderRequest> = {}): Rendering {
  return renderManager({
    want,
    current: KCM,
    baseline: KCM,
    policy: policyWith(),
    materials: { ccmManifest: CCM_POD },
    ...parts,
  });
}

export function edited(text: string, edits: ManifestEdits): string {
  const result = editManagerManifest(text, edits);
  if (result.kind === 'invalid') throw new Error(JSON.stringify(result.problems));
  return result.text;
}

export const seenIn = (rendering: Rendering): string =>
  rendering.kind === 'impossible'
    ? `${rendering.finding.code} ${rendering.finding.seen}`
    : 'rendered';

export const ON = { manager: 'kcm', role: 'inTree', leaderMigration: 'on' } as const;
export const OFF = { manager: 'kcm', role: 'inTree', leaderMigration: 'off' } as const;
export const EXTERNAL = { manager: 'kcm', role: 'external' } as const;
export const GUIDE = edited(KCM, {
  setArguments: {
    'enable-leader-migration': 'true',
    'leader-migration-config': '/etc/leadermigration.conf',
  },
  mountFiles: [
    {
      volume: 'lm-conf',
      mountPath: '/etc/leadermigration.conf',
      source: { hostPath: '/etc/leadermigration.conf' },
    },
  ],
});
