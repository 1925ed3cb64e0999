import type { UpdateMessage } from '#contract/realtime.ts';
import type { Connection } from './connection.ts';
import { frameOf } from './frame.ts';
import type { RealtimePolicy } from '../policy.ts';

/** Where an integration's updates have got to. */
export interface Position {
  epoch: string;
  seq: number;
  /** How many removals of members were committed before. */
  removals: number;
}

/** What is written to the sockets of one integration in one go. */
interface Batch {
  /** A socket that joined before the first message gets all, one that joined after the last none. */
  firstSeq: number;
  lastSeq: number;
  frames: readonly { seq: number; frame: Buffer }[];
  joined: Buffer;
  controlOnly: boolean;
  onWritten?: OnWritten | undefined;
}

type OnWritten = (messages: number, sockets: number) => void;

/**
 * One integration's updates on this node: the sockets that want them, and how far they were passed on. Keeps the order
 * of batches although a large one is written over several turns.
 */
export class Stream {
  readonly integrationId: string;
  epoch: string;
  /** Everything up to here was passed on, or will be before anything later. */
  lastSeq: number;
  /** All sockets were compared with the memberships after so many removals, at least. */
  removals: number;
  /** The same of those that joined since `startComparison`. */
  #joinedAt = Infinity;
  /** Each socket with the number after which it gets updates: it joined there, or was replayed up to there. */
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

  /** `removals` is what the counter said when the socket's membership was read. */
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

  /** The memberships of these people are about to be read; `finishComparison` says what the counter was then. */
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

  /** Holds updates back from one socket, until `unpause`. */
  pause(connection: Connection): void {
    if (this.#members.has(connection)) this.#members.set(connection, Infinity);
  }

  /** Lets a held socket go on after `seq`; false when updates after it were passed on meanwhile. */
  unpause(connection: Connection, seq: number): boolean {
    if (seq < this.lastSeq) return false;
    if (this.#members.has(connection)) this.#members.set(connection, seq);
    return true;
  }

  /** Passes on messages that follow `lastSeq`, in order. */
  send(messages: readonly UpdateMessage[], onWritten?: OnWritten): void {
    const frames = messages.map((message) => ({ seq: message.seq, frame: frameOf(message) }));
    for (const part of partsOf(frames, this.#policy.bytesPerWrite)) {
      const [firstSeq, lastSeq] = [part[0]?.seq ?? 0, part.at(-1)?.seq ?? 0];
      this.lastSeq = lastSeq;
      this.#enqueue({ firstSeq, lastSeq, frames: part, joined: join(part), controlOnly: false, onWritten });
    }
  }

  /** Says that updates were left out; whoever asked for control messages reads again. */
  resync(position: Omit<Position, 'removals'>): void {
    this.epoch = position.epoch;
    this.lastSeq = position.seq;
    // After a restart of the counter nobody is ahead of it.
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
   * Writes to the next sockets; false when more are left for a later turn. A map's iterator stays right while sockets
   * leave and join; those that joined after the batch are told apart by their number.
   */
  #writeTurn(batch: Batch, members: MapIterator<[Connection, number]>, before: number): boolean {
    const { joined, firstSeq, lastSeq, controlOnly } = batch;
    let visited = 0;
    let written = before;
    // Leaving the loop does not end a map's iterator: it has no `return`.
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

/** Cut into runs of about `bytes`. */
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
