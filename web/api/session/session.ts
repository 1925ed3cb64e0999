import type { SessionChannel } from './session-channel.ts';

/** What a renewal came to; only `over` means that the person has to sign in. */
export type Renewal = 'renewed' | 'over' | 'unavailable';

/** Where the session stands, for the whole app; `unknown` until the first answer. */
export type SessionState = 'unknown' | 'good' | 'unavailable' | 'over';

export interface SessionSurroundings {
  /** Asks the server for new tokens; nobody else of this browser does so meanwhile. */
  refresh(): Promise<Renewal>;
  channel: SessionChannel;
}

/**
 * The session of this browser, as one of its tabs sees it. Many requests may find the tokens expired at once, in several
 * tabs: one of them renews them for all.
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

  /** Told of each change of `state`; answers how to stop. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Told when somebody, maybe somebody else, came in through another tab; answers how to stop. */
  readonly onSignInElsewhere = (listener: () => void): (() => void) => {
    this.#elsewhere.add(listener);
    return () => this.#elsewhere.delete(listener);
  };

  /** @param sentAt when the request was sent that was refused: a renewal since then makes another one needless. */
  renew(sentAt: number): Promise<Renewal> {
    this.#renewing ??= this.#renewOnce(sentAt).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /**
   * An answer came that shows somebody signed in. One that was asked for before the session ended shows nothing: it was
   * under way.
   */
  works(sentAt: number): void {
    if (this.#state === 'over' && sentAt <= this.#endedAt) return;
    if (this.#state === 'over' || this.#state === 'unknown') this.#surroundings.channel.post('signed-in');
    this.#setState('good');
  }

  /** The person signed out here: their other tabs show it too. */
  end(): void {
    if (this.#state === 'over') return;
    this.#surroundings.channel.post('signed-out');
    this.#setState('over');
  }

  /** The identity provider does not answer; what is on screen stays. */
  waits(): void {
    if (this.#state !== 'over') this.#setState('unavailable');
  }

  async #renewOnce(sentAt: number): Promise<Renewal> {
    const { channel, refresh } = this.#surroundings;
    const renewal = await channel.alone(async () => {
      const renewedAt = channel.renewedAt();
      // A time to come was noted before the clock was set back.
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
