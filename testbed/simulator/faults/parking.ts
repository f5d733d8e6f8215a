import { writeFileSync } from 'node:fs';
import type { PlannedFault } from './fault-plan.js';

export interface ParkedRequest {
  readonly index: number;
  readonly fault: string;
  readonly verb: string;
  readonly path: string;
}

interface Place {
  readonly request: ParkedRequest;
  readonly leave: () => void;
}

/** Holds requests until a test releases them, their client disconnects, or their time is up. */
export class Parking {
  private readonly places = new Set<Place>();

  /** Resolves when the request may proceed. `gone` aborts when the client has disconnected. */
  async park(request: ParkedRequest, planned: PlannedFault, gone: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const place: Place = {
        request,
        leave: () => {
          clearTimeout(timer);
          gone.removeEventListener('abort', place.leave);
          this.places.delete(place);
          resolve();
        },
      };
      this.places.add(place);
      if (planned.holdMs !== undefined) timer = setTimeout(place.leave, planned.holdMs);
      if (gone.aborted) place.leave();
      else gone.addEventListener('abort', place.leave);
      announce(planned.signalFile, request);
    });
  }

  parked(): readonly ParkedRequest[] {
    return [...this.places].map((place) => place.request);
  }

  /** Releases all requests and returns how many there were. */
  release(): number {
    const waiting = [...this.places];
    for (const place of waiting) place.leave();
    return waiting.length;
  }
}

function announce(signalFile: string | undefined, request: ParkedRequest): void {
  if (signalFile !== undefined) writeFileSync(signalFile, `${JSON.stringify(request)}\n`);
}
