import type { SessionChannel } from './session-channel.ts';

/** The result of a renewal. Only `over` requires a new sign-in. */
export type Renewal = 'renewed' | 'over' | 'unavailable';

/** The session state for the whole app; `unknown` until the first response. */
export type SessionState = 'unknown' | 'good' | 'unavailable' | 'over';

export interface SessionSurroundings {
  /** Requests new tokens, one tab at a time. */
  refresh(): Promise<Renewal>;
  channel: SessionChannel;
}

/**
 * The session of this browser, seen by one tab. If many requests in several tabs find the tokens expired, one of them
 * renews the tokens for all.
 */
export class Session {
  readonly #surroundings: SessionSurroundings;
  readonly #listeners = new Set<() => void>();
  readonly #elsewhere = new Set<() => void>();
  #state: SessionState = 'unknown';
  #renewing: Promise<Renewal> | undefined;
  #endedAt = -Infinity;

  constructor(surroundings: SessionSurroundings) {
    this.#surroundings = surroundings;
    surroundings.channel.onMessage((message) => {
      this.#setState(message === 'signed-out' ? 'over' : 'good');
      if (message === 'signed-in') this.#elsewhere.forEach((listener) => listener());
    });
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Calls the listener when `state` changes. Returns the unsubscribe function. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Calls the listener when a person, possibly another one, signs in through another tab. Returns the unsubscribe
   * function.
   */
  readonly onSignInElsewhere = (listener: () => void): (() => void) => {
    this.#elsewhere.add(listener);
    return () => this.#elsewhere.delete(listener);
  };

  /** @param sentAt when the refused request was sent: a later renewal makes another one unnecessary */
  renew(sentAt: number): Promise<Renewal> {
    this.#renewing ??= this.#renewOnce(sentAt).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * A successful response shows that a person is signed in. A response to a request sent before the session ended
   * does not count.
   */
  works(sentAt: number): void {
    if (this.#state === 'over' && sentAt <= this.#endedAt) return;
    if (this.#state === 'over' || this.#state === 'unknown') this.#surroundings.channel.post('signed-in');
    this.#setState('good');
  }

  /** The person signed out here. Other tabs show it too. */
  end(): void {
    if (this.#state === 'over') return;
    this.#surroundings.channel.post('signed-out');
    this.#setState('over');
  }

  /** The identity provider is unreachable. The visible data stays. */
  waits(): void {
    if (this.#state !== 'over') this.#setState('unavailable');
  }

  async #renewOnce(sentAt: number): Promise<Renewal> {
    const { channel, refresh } = this.#surroundings;
    const renewal = await channel.alone(async () => {
      const renewedAt = channel.renewedAt();
      // A stored time in the future means that the clock was set back.
      if (renewedAt >= sentAt && renewedAt <= Date.now()) return 'renewed';
      const outcome = await refresh();
      if (outcome === 'renewed') channel.post('renewed');
      return outcome;
    });
    if (renewal === 'renewed') this.#setState('good');
    else if (renewal === 'unavailable') this.waits();
    else this.end();
    return renewal;
  }

  #setState(state: SessionState): void {
    if (state === this.#state) return;
    if (state === 'over') this.#endedAt = Date.now();
    this.#state = state;
    this.#listeners.forEach((listener) => listener());
  }
}
