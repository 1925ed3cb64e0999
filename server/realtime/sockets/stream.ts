import type { UpdateMessage } from '#contract/runs/realtime.ts';
import type { Connection } from './connection.ts';
import { frameOf } from './frame.ts';
import type { RealtimePolicy } from '../policy.ts';

/** A position in the updates of an integration. */
export interface Position {
  epoch: string;
  seq: number;
  /** The number of members removed before. */
  removals: number;
}

/** Frames that are written together to the sockets of one integration. */
interface Batch {
  /** A socket that joined before the first message gets all; one that joined after the last gets none. */
  firstSeq: number;
  lastSeq: number;
  frames: readonly { seq: number; frame: Buffer }[];
  joined: Buffer;
  controlOnly: boolean;
  onWritten?: OnWritten | undefined;
}

type OnWritten = (messages: number, sockets: number) => void;

/**
 * The updates of one integration on this node: its sockets and the position reached. Keeps the order of batches, although a large
 * one is written over several turns of the event loop.
 */
export class Stream {
  readonly integrationId: string;
  epoch: string;
  /** Everything up to here was sent, or will be sent before anything later. */
  lastSeq: number;
  /** All sockets were compared with the memberships after at least this many removals. */
  removals: number;
  /** The same for sockets that joined since `startComparison`. */
  #joinedAt = Infinity;
  /** Each socket with the number after which it gets updates: where it joined, or the end of its replay. */
  readonly #members = new Map<Connection, number>();
  readonly #policy: RealtimePolicy;
  #queue: Batch[] = [];
  #isWriting = false;

  constructor(integrationId: string, position: Position, policy: RealtimePolicy) {
    this.integrationId = integrationId;
    this.epoch = position.epoch;
    this.lastSeq = position.seq;
    this.removals = position.removals;
    this.#policy = policy;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** `removals` is the count at the time the socket's membership was read. */
  join(connection: Connection, removals: number): void {
    if (!this.#members.has(connection)) this.#members.set(connection, this.lastSeq);
    this.removals = Math.min(this.removals, removals);
    this.#joinedAt = Math.min(this.#joinedAt, removals);
  }

  has(connection: Connection): boolean {
    return this.#members.has(connection);
  }

  sockets(): Connection[] {
    return [...this.#members.keys()];
  }

  userIds(): string[] {
    return [...new Set(this.sockets().map(({ userId }) => userId))];
  }

  /** Call before reading the memberships of the returned users; then call `finishComparison` with the count read. */
  startComparison(): string[] {
    this.#joinedAt = Infinity;
    return this.userIds();
  }

  finishComparison(removals: number): void {
    this.removals = Math.min(removals, this.#joinedAt);
  }

  leave(connection: Connection): void {
    this.#members.delete(connection);
  }

  /** Sends no updates to a socket until `unpause`. */
  pause(connection: Connection): void {
    if (this.#members.has(connection)) this.#members.set(connection, Infinity);
  }

  /** Continues a paused socket after `seq`; false when later updates were sent meanwhile. */
  unpause(connection: Connection, seq: number): boolean {
    if (seq < this.lastSeq) return false;
    if (this.#members.has(connection)) this.#members.set(connection, seq);
    return true;
  }

  /** Sends messages that follow `lastSeq`, in order. */
  send(messages: readonly UpdateMessage[], onWritten?: OnWritten): void {
    const frames = messages.map((message) => ({ seq: message.seq, frame: frameOf(message) }));
    for (const part of partsOf(frames, this.#policy.bytesPerWrite)) {
      const [firstSeq, lastSeq] = [part[0]?.seq ?? 0, part.at(-1)?.seq ?? 0];
      this.lastSeq = lastSeq;
      this.#enqueue({ firstSeq, lastSeq, frames: part, joined: join(part), controlOnly: false, onWritten });
    }
  }

  /** Tells clients with control messages that updates were skipped. */
  resync(position: Omit<Position, 'removals'>): void {
    this.epoch = position.epoch;
    this.lastSeq = position.seq;
    // After a restart of the counter no socket may be ahead of it.
    for (const [connection, from] of this.#members) {
      if (from > position.seq && from !== Infinity) this.#members.set(connection, position.seq);
    }
    const joined = frameOf({ v: 1, type: 'resync', integrationId: this.integrationId });
    this.#enqueue({ firstSeq: Infinity, lastSeq: Infinity, frames: [], joined, controlOnly: true });
  }

  #enqueue(batch: Batch): void {
    this.#queue.push(batch);
    if (!this.#isWriting) this.#writeQueue();
  }

  #writeQueue(): void {
    this.#isWriting = true;
    for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift()) {
      if (!this.#writeTurn(batch, this.#members.entries(), 0)) return;
    }
    this.#isWriting = false;
  }

  /**
   * Writes to the next sockets; false when a later turn writes the rest. A map's iterator stays valid while sockets leave and
   * join; sockets that joined after the batch are recognized by their number.
   */
  #writeTurn(batch: Batch, members: MapIterator<[Connection, number]>, before: number): boolean {
    const { joined, firstSeq, lastSeq, controlOnly } = batch;
    let visited = 0;
    let written = before;
    // Leaving the loop does not close a map's iterator: it has no `return`.
    for (const [connection, from] of members) {
      if (from < lastSeq && (!controlOnly || connection.isControl)) {
        if (connection.write(from < firstSeq ? joined : join(batch.frames, from))) written += 1;
      }
      visited += 1;
      if (visited === this.#policy.socketsPerTurn) {
        setImmediate(() => {
          if (this.#writeTurn(batch, members, written)) this.#writeQueue();
        });
        return false;
      }
    }
    batch.onWritten?.(batch.frames.length, written);
    return true;
  }
}

/** The frames after `after` as one buffer. */
function join(frames: Batch['frames'], after = -1): Buffer {
  const wanted = frames.filter(({ seq }) => seq > after);
  const [only] = wanted;
  return wanted.length === 1 && only ? only.frame : Buffer.concat(wanted.map(({ frame }) => frame));
}

/** Splits frames into parts of about `bytes`. */
function partsOf(frames: Batch['frames'], bytes: number): Batch['frames'][] {
  const parts: { seq: number; frame: Buffer }[][] = [];
  let room = 0;
  for (const entry of frames) {
    if (room <= 0) {
      parts.push([]);
      room = bytes;
    }
    parts.at(-1)?.push(entry);
    room -= entry.frame.length;
  }
  return parts;
}
