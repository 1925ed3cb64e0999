import { backOffMs } from './back-off.ts';

export interface ContactSurroundings {
  /** Asks the server for something small; true when it answers. */
  ask(): Promise<boolean>;
  random(): number;
  /** Nobody looks at a hidden page: it asks when it is shown again. */
  isVisible(): boolean;
}

/** Somebody waits: the bound on the pause between two questions stops doubling at 8 s. */
const mostDoublings = 4;

/**
 * Whether the server answers this tab. The browser's word for "offline" is only a hint: a device with a network may not
 * reach the server, and a server on the same machine needs none. So a question decides, and is repeated until answered.
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

  /** When the server said something last, as `Date.now()`. */
  get heardAt(): number | undefined {
    return this.#heardAt;
  }

  /** Called at each change of `isAway`; returns how to stop. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The socket brought something: what is on screen is of now. That requests are answered too is not said. */
  heard(): void {
    if (!this.#isAway) this.#heardAt = Date.now();
  }

  /** The server answered a request, in whatever way. */
  answered(): void {
    this.#heardAt = this.#answeredAt = Date.now();
    this.#failures = 0;
    clearTimeout(this.#timer);
    this.#setAway(false);
  }

  /** Asks the server now; true when it answers. Those who ask at the same time share one question. */
  readonly check = (): Promise<boolean> => {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  };

  /** Resolves as soon as the server answers. */
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
    // Another request was answered meanwhile.
    if (this.#answeredAt > startedAt) return true;
    this.#setAway(true);
    const pauseMs = backOffMs(Math.min(this.#failures, mostDoublings), this.#surroundings.random);
    this.#timer = setTimeout(() => this.#askAgain(), pauseMs);
    return false;
  }

  /** Only these questions lengthen the pause: each request that fails asks as well. */
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
