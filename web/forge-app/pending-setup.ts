/** For which integration this browser went to install the application; the forge brings back only the proof. */
interface PendingSetup {
  integrationId: string;
  proof: string;
}

const key = 'forgewatch.forge-app';

export function keepSetup(setup: PendingSetup): void {
  localStorage.setItem(key, JSON.stringify(setup));
}

/** Undefined when nothing was begun here, or something else was begun since. */
export function takeSetup(proof: string): PendingSetup | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<PendingSetup> | null;
    if (kept?.proof !== proof || typeof kept.integrationId !== 'string') return undefined;
    return { integrationId: kept.integrationId, proof };
  } catch {
    return undefined;
  }
}
