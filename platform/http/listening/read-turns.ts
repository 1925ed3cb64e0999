/** For reading in one turn of the event loop. A request takes up to a millisecond until its first wait for the database. */
const turnMs = 2;

/** For accepting connections, in turns that do little else, before the next turn that reads. */
const acceptMs = 10;

/** A connection that has bytes. */
export interface Reader {
  /** Reads a slice. Returns whether more can be read. */
  readSlice(): boolean;
}

interface Client {
  key: unknown;
  /** Connections that have not waited before: short requests pass the long ones. */
  fresh: Reader[];
  others: Reader[];
}

/**
 * Shares the time for reading among clients, as the network scheduler FQ-CoDel does (RFC 8290, section 4.1): a slice for each of them in
 * turn, and clients that have not waited before come first. The kernel hands over one new connection in each turn of the event loop, so
 * turns are kept short, and shorter while connections arrive.
 */
export class ReadTurns {
  readonly #clients = new Map<unknown, Client>();
  readonly #fresh: Client[] = [];
  readonly #others: Client[] = [];
  #isScheduled = false;
  #hasAccepted = false;
  #acceptedMs = 0;
  #spentMs = 0;
  #endedAt = 0;

  /** Whether a connection may read without waiting. */
  get isFree(): boolean {
    return !this.#hasAccepted && this.#clients.size === 0 && this.#spentMs < turnMs;
  }

  /** Calls `read`, which counts for the turn. */
  spend(read: () => void): void {
    const from = performance.now();
    read();
    this.#spentMs += performance.now() - from;
    this.#schedule();
  }

  accepted(): void {
    this.#hasAccepted = true;
    this.#schedule();
  }

  /** The reader gets a slice in each of its client's turns until it has no more to read. */
  wait(key: unknown, reader: Reader, isFirst: boolean): void {
    let client = this.#clients.get(key);
    if (client === undefined) {
      client = { key, fresh: [], others: [] };
      this.#clients.set(key, client);
      this.#fresh.push(client);
    }
    (isFirst ? client.fresh : client.others).push(reader);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    const now = performance.now();
    const isAccepting = this.#hasAccepted && this.#acceptedMs < acceptMs;
    this.#hasAccepted = false;
    this.#spentMs = 0;
    if (isAccepting) {
      this.#acceptedMs += Math.min(1, now - this.#endedAt);
      return this.#end(now);
    }
    this.#serveFrom(now);
  };

  /** What follows on a slice without waiting for anything counts too, so it runs before the next slice. */
  #serveFrom(from: number): void {
    const spent = performance.now() - from;
    if (spent < turnMs && this.#serve()) {
      queueMicrotask(() => process.nextTick(() => this.#serveFrom(from)));
      return;
    }
    this.#acceptedMs = 0;
    this.#end(from + spent);
  }

  #end(now: number): void {
    this.#endedAt = now;
    this.#isScheduled = false;
    if (this.#clients.size > 0) this.#schedule();
  }

  /** A client without readers leaves with its next turn, so that one which comes back at once is no fresh one. */
  #serve(): boolean {
    const client = this.#fresh.shift() ?? this.#others.shift();
    if (client === undefined) return false;
    const reader = client.fresh.shift() ?? client.others.shift();
    if (reader === undefined) {
      this.#clients.delete(client.key);
      return true;
    }
    this.#others.push(client);
    if (reader.readSlice()) client.others.push(reader);
    return true;
  }
}
