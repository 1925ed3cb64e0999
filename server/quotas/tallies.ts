import type { QuotaName } from '#contract/integrations/usage.ts';
import { growingCache } from '#platform/runtime/growing-cache.ts';
import { exceededQuota, type QuotaLimits } from './quota-day.ts';
import type { SavedUsage, UsageDelta } from './usage-store.ts';

export interface Amount {
  bytes: number;
  /** 1 for a webhook, 0 for what is no event. */
  events: number;
}

interface Owner {
  savedBytes: number;
  unsavedBytes: number;
}

/** The counts of an integration: those of the database, and those of this process that the database does not have yet. */
export interface Tally {
  integrationId: string;
  saved: Amount;
  unsaved: Amount & { refused: number };
  /** The quota that was used up when a request was refused since the last save. */
  refusedFor: QuotaName | undefined;
  owner: Owner | undefined;
}

export interface Delta extends UsageDelta {
  refusedFor: QuotaName | undefined;
}

/** Bounds the memory. The counts of an integration that was dropped are read again. */
const mostKnown = 10_000;

/** The counts of one day. */
export class Tallies {
  readonly #limits: QuotaLimits;
  readonly #known = growingCache<string, Tally>(mostKnown);
  readonly #owners = growingCache<string, Owner>(mostKnown);
  /** Also keeps what the cache drops. */
  readonly #unsaved = new Map<string, Tally>();

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  find(integrationId: string): Tally | undefined {
    return this.#known.get(integrationId) ?? this.#unsaved.get(integrationId);
  }

  /** Counts the amount, or a refusal with the quota that is used up. */
  count(tally: Tally, amount: Amount): QuotaName | undefined {
    const { saved, unsaved, owner } = tally;
    const quota = exceededQuota(this.#limits, {
      bytes: saved.bytes + unsaved.bytes,
      events: saved.events + unsaved.events,
      ownerBytes: owner === undefined ? 0 : owner.savedBytes + owner.unsavedBytes,
    });
    if (quota === undefined) {
      this.add(tally, amount);
    } else {
      unsaved.refused += 1;
      tally.refusedFor ??= quota;
      this.#unsaved.set(tally.integrationId, tally);
    }
    return quota;
  }

  add(tally: Tally, { bytes, events }: Amount): void {
    tally.unsaved.bytes += bytes;
    tally.unsaved.events += events;
    if (tally.owner !== undefined) tally.owner.unsavedBytes += bytes;
    this.#unsaved.set(tally.integrationId, tally);
  }

  /** What is to be saved. */
  deltas(): Delta[] {
    return [...this.#unsaved.values()].map(({ integrationId, unsaved, refusedFor }) => ({
      integrationId,
      ...unsaved,
      refusedFor,
    }));
  }

  /** The database has the delta. */
  settle({ integrationId, bytes, events, refused }: Delta): void {
    const tally = this.#unsaved.get(integrationId);
    if (tally === undefined) return;
    this.add(tally, { bytes: -bytes, events: -events });
    tally.unsaved.refused -= refused;
    tally.refusedFor = undefined;
    if (Object.values(tally.unsaved).every((count) => count === 0)) this.#unsaved.delete(integrationId);
  }

  /** Takes over the counts of the database. */
  learn({ integrationId, bytes, events, owner }: SavedUsage): Tally {
    const tally = this.find(integrationId) ?? emptyTally(integrationId);
    this.#known.set(integrationId, tally);
    tally.saved = { bytes, events };
    this.#changeOwner(tally, owner);
    return tally;
  }

  /** The integration is deleted. */
  forget(integrationId: string): void {
    this.#known.delete(integrationId);
    this.#unsaved.delete(integrationId);
  }

  #changeOwner(tally: Tally, stored: SavedUsage['owner']): void {
    const owner = stored && (this.#owners.get(stored.userId) ?? { savedBytes: 0, unsavedBytes: 0 });
    if (stored !== undefined && owner !== undefined) {
      owner.savedBytes = stored.bytes;
      this.#owners.set(stored.userId, owner);
    }
    if (tally.owner === owner) return;
    if (tally.owner !== undefined) tally.owner.unsavedBytes -= tally.unsaved.bytes;
    if (owner !== undefined) owner.unsavedBytes += tally.unsaved.bytes;
    tally.owner = owner;
  }
}

function emptyTally(integrationId: string): Tally {
  const unsaved = { bytes: 0, events: 0, refused: 0 };
  return { integrationId, saved: { bytes: 0, events: 0 }, unsaved, refusedFor: undefined, owner: undefined };
}
