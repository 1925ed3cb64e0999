import { readStored, store } from '../api/stored.ts';

/** The integration for which this browser started an installation. The forge returns only the proof. */
export interface PendingSetup {
  integrationId: string;
  proof: string;
}

const key = 'forgewatch.forge-app';

export function keepSetup(setup: PendingSetup): void {
  store('localStorage', key, JSON.stringify(setup));
}

/** Undefined when this browser started no installation, or when a later one replaced it. */
export function readSetup(proof: string | undefined): PendingSetup | undefined {
  try {
    const kept = JSON.parse(readStored('localStorage', key) ?? 'null') as Partial<PendingSetup> | null;
    if (typeof kept?.proof !== 'string' || typeof kept.integrationId !== 'string') return undefined;
    if (proof !== undefined && proof !== kept.proof) return undefined;
    return { integrationId: kept.integrationId, proof: kept.proof };
  } catch {
    return undefined;
  }
}
