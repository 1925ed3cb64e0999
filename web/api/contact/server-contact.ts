import { backOffMs } from '#contract/base/back-off.ts';

export interface ContactSurroundings {
  /** Sends a small request to the server; true when it responds. */
  ask(): Promise<boolean>;
  random(): number;
  /** A hidden page does not ask. It asks when it becomes visible. */
  isVisible(): boolean;
}

/** The delay between two checks. A person is waiting for the server. */
const checkBackOff = { firstMs: 500, longestMs: 8000 };

/**
 * Whether the server responds to this tab. The browser's offline state is only a hint: a device with a network may
 * not reach the server, and a local server needs no network. Requests decide, and are repeated until one succeeds.
 */
export class ServerContact {
  readonly #surroundings: ContactSurroundings;
  readonly #listeners = new Set<() => void>();
  #isAway = false;
  #answeredAt = -Infinity;
  #heardAt: number | undefined;
  #asking: Promise<boolean> | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(surroundings: ContactSurroundings) {
    this.#surroundings = surroundings;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Time of the last response or message, as `Date.now()`. */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  /** Calls the listener when `isAway` changes. Returns the unsubscribe function. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The socket received a message, so the visible data is current. Requests may still fail. */
  heard(): void {
    if (!this.#isAway) this.#heardAt = Date.now();
  }

  /** The server responded to a request, with success or not. */
  answered(): void {
    this.#heardAt = this.#answeredAt = Date.now();
    this.#failures = 0;
    clearTimeout(this.#timer);
    this.#setAway(false);
  }

  /** Checks the server now; true when it responds. Concurrent callers share one check. */
  readonly check = (): Promise<boolean> => {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  };

  /** Resolves when the server responds. */
  async back(): Promise<void> {
    if (!this.#isAway) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.onChange(resolve);
    await promise;
    stop();
  }

  async #ask(): Promise<boolean> {
    clearTimeout(this.#timer);
    const startedAt = Date.now();
    if (await this.#surroundings.ask()) {
      this.answered();
      return true;
    }
    // Another request was answered in the meantime, perhaps by the last byte before the connection was lost.
    const isAnswered = this.#answeredAt > startedAt;
    if (!isAnswered) this.#setAway(true);
    const pauseMs = backOffMs(checkBackOff, this.#failures, this.#surroundings.random);
    this.#timer = setTimeout(() => this.#askAgain(), pauseMs);
    return isAnswered;
  }

  /** Only these checks lengthen the delay, because every failed request starts a check too. */
  #askAgain(): void {
    this.#failures += 1;
    if (this.#surroundings.isVisible()) void this.check();
  }

  #setAway(isAway: boolean): void {
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    this.#listeners.forEach((listener) => listener());
  }
}
