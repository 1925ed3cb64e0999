import { AsyncLocalStorage } from 'node:async_hooks';

/** For reading and beginning requests in one turn of the event loop. A request takes up to a millisecond until its first wait for the database. */
const turnMs = 2;

/**
 * Bounds while connections arrive. The next connection also waits for what follows on requests that have begun, which takes several times
 * as long as their beginning.
 */
const whileArriving = { forMs: 50, turnMs: 0.4, places: { most: 16, ms: 50 } };

/** For accepting connections and reading new clients, in turns that do little else, before the next turn for others. */
const acceptMs = 3;

/**
 * Requests of one client that are in progress. More of them wait. One that lasts longer leaves its place to another, because it waits
 * for its client or for another server.
 */
const places = { most: 64, ms: 1000 };

/** Of one client. Further ones end at once. */
const mostWaiting = 1000;

/**
 * Connections that wait, for a turn or with a request, are those of all clients, of which each has an equal share or this many: each takes
 * up to 128 KiB, also after its client has closed it.
 */
const leastShare = 128;

/** A connection that has bytes. */
export interface Reader {
  /** With whom it shares turns. May change with each slice. */
  readonly client: unknown;
  readonly isClosed: boolean;
  /** Reads a slice. Returns whether more can be read. */
  readSlice(): boolean;
}

interface WaitingRequest {
  begin(): void;
  /** Too much of its client waits. */
  giveUp(): void;
}

/** A request in progress. */
interface Place {
  since: number;
}

/** Those that have not waited before alternate with others, which would wait forever while many arrive. */
class Alternating<T> {
  readonly fresh: T[] = [];
  readonly others: T[] = [];
  /** Whether the latest one was fresh. */
  wasFresh = false;

  get length(): number {
    return this.fresh.length + this.others.length;
  }

  nextList(): T[] {
    this.wasFresh = this.others.length === 0 || (!this.wasFresh && this.fresh.length > 0);
    return this.wasFresh ? this.fresh : this.others;
  }
}

interface Client {
  readonly key: unknown;
  /** Requests whose head was read, in their order. */
  readonly requests: Set<() => void>;
  /** Short requests pass the long ones. */
  readonly readers: Alternating<Reader>;
  /** The oldest first. */
  readonly places: Set<Place>;
  /** Whether a request began in its latest turn. Then a connection is read in the next one. */
  hasBegun: boolean;
  /** Whether it is in one of the lists of clients. */
  isListed: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Shares the time for reading and for beginning requests among clients, as the network scheduler FQ-CoDel does (RFC 8290, section 4.1):
 * a slice or a request for each of them in turn, and clients that have not waited before come first. The kernel hands over one new
 * connection in each turn of the event loop, so turns are kept short, and shorter while connections arrive.
 */
export class ClientTurns {
  readonly #clients = new Map<unknown, Client>();
  readonly #waiting = new Alternating<Client>();
  #served: Client | undefined;
  #isScheduled = false;
  #hasAccepted = false;
  #acceptedMs = 0;
  #arrivedAt = -whileArriving.forMs;
  #spentMs = 0;
  #endedAt = 0;

  /** Whether a connection may read without waiting. */
  get isFree(): boolean {
    return !this.#hasAccepted && !this.#isAnyoneWaiting() && this.#spentMs < turnMs;
  }

  /** Whether the client may wait with no further connection. */
  isFull(key: unknown): boolean {
    const client = this.#clients.get(key);
    if (client === undefined) return false;
    const share = Math.max(leastShare, mostWaiting / this.#clients.size);
    return client.readers.length + client.requests.size >= share;
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
  wait(reader: Reader, isFirst: boolean): void {
    const client = this.#clientOf(reader.client);
    const { fresh, others } = client.readers;
    (isFirst ? fresh : others).push(reader);
    this.#list(client);
  }

  /** Calls `begin` when the client has a place for a request, at once if nobody waits. Call the returned function when the request ended. */
  request(key: unknown, { begin, giveUp }: WaitingRequest): () => void {
    const client = this.#clientOf(key);
    const place = { since: 0 };
    const take = (): void => {
      place.since = performance.now();
      client.places.add(place);
      begin();
    };
    const isTurn = client === this.#served || !this.#isAnyoneWaiting();
    if (isTurn && client.requests.size === 0 && this.#hasPlace(client)) take();
    else if (client.requests.size >= mostWaiting) giveUp();
    else {
      client.requests.add(take);
      this.#list(client);
    }
    return () => {
      client.requests.delete(take);
      client.places.delete(place);
      if (client.requests.size > 0) this.#list(client);
      else this.#forgetIfIdle(client);
    };
  }

  #isAnyoneWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  #clientOf(key: unknown): Client {
    let client = this.#clients.get(key);
    if (client === undefined) {
      client = {
        key,
        requests: new Set(),
        readers: new Alternating(),
        places: new Set(),
        hasBegun: false,
        isListed: false,
        timer: undefined,
      };
      this.#clients.set(key, client);
    }
    return client;
  }

  #list(client: Client): void {
    if (!client.isListed && client !== this.#served) {
      client.isListed = true;
      const { fresh, others } = this.#waiting;
      (client.places.size === 0 ? fresh : others).push(client);
    }
    this.#schedule();
  }

  #forgetIfIdle(client: Client): void {
    const isIdle = !client.isListed && client !== this.#served && client.places.size === 0;
    if (isIdle && client.requests.size === 0) {
      clearTimeout(client.timer);
      this.#clients.delete(client.key);
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  /** Requests must not begin in the context of the request that scheduled the turn. */
  readonly #turn = AsyncLocalStorage.bind((): void => {
    const now = performance.now();
    const isAccepting = this.#hasAccepted && this.#acceptedMs < acceptMs;
    if (this.#hasAccepted) this.#arrivedAt = now;
    this.#hasAccepted = false;
    this.#spentMs = 0;
    // All of the time since the turn before counts: others wait for it too.
    if (isAccepting) this.#acceptedMs += now - this.#endedAt;
    else this.#acceptedMs = 0;
    // As many new clients as connections arrive, and one more.
    this.#serveFrom(now, isAccepting ? [this.#waiting.fresh, this.#waiting.fresh] : undefined);
  });

  /** What follows on a slice without waiting for anything counts too, so it runs before the next slice. */
  #serveFrom(from: number, lists?: Client[][]): void {
    const spent = performance.now() - from;
    const list = lists === undefined ? this.#waiting.nextList() : lists.shift();
    if (spent < this.#mostMs(from) && list !== undefined && this.#serve(list)) {
      queueMicrotask(() => process.nextTick(() => this.#serveFrom(from, lists)));
      return;
    }
    if (lists !== undefined) {
      this.#acceptedMs += spent;
      this.#waiting.wasFresh = true;
    }
    this.#end(from + spent);
  }

  #areArriving(now: number): boolean {
    return now - this.#arrivedAt < whileArriving.forMs;
  }

  #mostMs(now: number): number {
    return this.#areArriving(now) ? whileArriving.turnMs : turnMs;
  }

  #end(now: number): void {
    this.#endedAt = now;
    this.#isScheduled = false;
    if (this.#isAnyoneWaiting()) this.#schedule();
  }

  /** Serves the next client of the list. One that waits for nothing leaves with its next turn, so that one which comes back at once is no fresh one. */
  #serve(list: Client[]): boolean {
    for (let client = list.shift(); client !== undefined; client = list.shift()) {
      client.isListed = false;
      this.#served = client;
      const hasWork = this.#serveClient(client);
      this.#served = undefined;
      if (hasWork) {
        client.isListed = true;
        this.#waiting.others.push(client);
        return true;
      }
      this.#forgetIfIdle(client);
    }
    return false;
  }

  #serveClient(client: Client): boolean {
    let reader = client.hasBegun ? nextReader(client) : undefined;
    const begin = reader === undefined && this.#hasPlace(client) ? firstRequest(client) : undefined;
    client.hasBegun = begin !== undefined;
    if (begin !== undefined) {
      client.requests.delete(begin);
      begin();
      return true;
    }
    reader ??= nextReader(client);
    if (reader === undefined) {
      this.#awaitPlace(client);
      return false;
    }
    if (reader.readSlice()) this.wait(reader, false);
    return true;
  }

  #places(now: number): typeof places {
    return this.#areArriving(now) ? whileArriving.places : places;
  }

  #hasPlace(client: Client): boolean {
    const now = performance.now();
    const { most, ms } = this.#places(now);
    if (client.places.size < most) return true;
    for (const place of client.places) {
      if (now - place.since < ms) break;
      client.places.delete(place);
    }
    return client.places.size < most;
  }

  #awaitPlace(client: Client): void {
    const [oldest] = client.places;
    if (client.requests.size === 0 || oldest === undefined) return;
    const now = performance.now();
    client.timer ??= setTimeout(
      () => {
        client.timer = undefined;
        this.#list(client);
      },
      Math.max(0, oldest.since + this.#places(now).ms - now),
    );
  }
}

function firstRequest({ requests }: Client): (() => void) | undefined {
  return requests.values().next().value;
}

function nextReader({ readers }: Client): Reader | undefined {
  for (;;) {
    const reader = readers.nextList().shift();
    if (reader?.isClosed !== true) return reader;
  }
}
