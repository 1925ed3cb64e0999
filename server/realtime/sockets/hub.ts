import type { Cursors, UpdateMessage } from '#contract/realtime.ts';
import { removals, type CommittedUpdate } from '../append-updates.ts';
import type { Connection } from './connection.ts';
import type { RealtimePolicy } from '../policy.ts';
import { Stream, type Position } from './stream.ts';

export interface HubOptions {
  policy: RealtimePolicy;
  /** This integration may have updates in the database that the hub has not seen: read them. */
  onBehind(integrationId: string): void;
  /** So many messages were written to so many sockets; the last of them was stored at `at`, in ISO 8601. */
  onWritten(messages: number, sockets: number, at: string): void;
  /** A socket that stays open gets no more of an integration: its person was removed. */
  onRevoked(connection: Connection, integrationId: string): void;
}

/** What was read from the database of one integration. */
export interface CatchUp {
  after: number;
  head: Position;
  messages: readonly UpdateMessage[];
  /** People among its sockets who are no members any more. */
  gone: ReadonlySet<string>;
}

/** The open sockets of this node by integration. Every socket gets each update once and in order. */
export class Hub {
  readonly connections = new Set<Connection>();
  readonly #streams = new Map<string, Stream>();
  readonly #options: HubOptions;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** Takes a socket in. `positions` is what the database said at its handshake, for integrations not held here yet. */
  add(connection: Connection, positions: ReadonlyMap<string, Position>): void {
    this.connections.add(connection);
    // One copy of an id for all sockets.
    connection.integrationIds = [...positions].map(([id, position]) => this.#join(connection, id, position));
  }

  /** Gives an open socket other integrations; those it keeps go on without a gap. */
  replace(connection: Connection, positions: ReadonlyMap<string, Position>): void {
    for (const id of connection.integrationIds) if (!positions.has(id)) this.#leave(connection, id);
    this.add(connection, positions);
  }

  #join(connection: Connection, id: string, position: Position): string {
    const stream = this.#streams.get(id) ?? this.#open(id, position);
    // Somebody was removed around the handshake: who, is to be read.
    if (stream.removals !== position.removals) this.#options.onBehind(id);
    stream.join(connection, position.removals);
    return stream.integrationId;
  }

  #open(integrationId: string, position: Position): Stream {
    const stream = new Stream(integrationId, position, this.#options.policy);
    this.#streams.set(integrationId, stream);
    // What was announced between the handshake's statement and now fell on deaf ears.
    this.#options.onBehind(integrationId);
    return stream;
  }

  remove(connection: Connection): void {
    this.connections.delete(connection);
    for (const integrationId of connection.integrationIds) this.#leave(connection, integrationId);
  }

  /** Takes an integration away from the sockets of those people, or of everybody when it was deleted. */
  revoke(integrationId: string, gone: ReadonlySet<string> | 'everybody'): void {
    for (const connection of this.#streams.get(integrationId)?.sockets() ?? []) {
      if (gone !== 'everybody' && !gone.has(connection.userId)) continue;
      this.#leave(connection, integrationId);
      connection.integrationIds = connection.integrationIds.filter((id) => id !== integrationId);
      this.#options.onRevoked(connection, integrationId);
    }
  }

  #leave(connection: Connection, integrationId: string): void {
    const stream = this.#streams.get(integrationId);
    stream?.leave(connection);
    if (stream?.isEmpty) this.#streams.delete(integrationId);
  }

  stream(integrationId: string): Stream | undefined {
    return this.#streams.get(integrationId);
  }

  /** Where the updates of one socket's integrations begin. */
  positionsOf({ integrationIds }: Connection): Cursors {
    return Object.fromEntries(
      integrationIds.flatMap((id) => {
        const stream = this.#streams.get(id);
        return stream === undefined ? [] : [[id, { epoch: stream.epoch, seq: stream.lastSeq }]];
      }),
    );
  }

  get integrationIds(): string[] {
    return [...this.#streams.keys()];
  }

  /**
   * Passes on what this process has just committed. What does not follow at once is read from the database, and so is
   * what came after a removal that is not known here yet.
   */
  deliver(messages: readonly CommittedUpdate[]): void {
    for (const [integrationId, group] of Map.groupBy(messages, (message) => message.integrationId)) {
      const stream = this.#streams.get(integrationId);
      if (stream === undefined) continue;
      const isNext = group.every(
        (message, index) =>
          message.epoch === stream.epoch &&
          message.seq === stream.lastSeq + 1 + index &&
          message[removals] === stream.removals,
      );
      if (isNext) this.#send(stream, group);
      else if (group.some(({ seq, epoch }) => epoch !== stream.epoch || seq > stream.lastSeq)) {
        this.#options.onBehind(integrationId);
      }
    }
  }

  /**
   * Passes on what was read from the database: everything after `after` that is still known there, up to `head`. What
   * is missing in between becomes a `resync`.
   */
  catchUp(integrationId: string, read: CatchUp): void {
    this.revoke(integrationId, read.gone);
    const stream = this.#streams.get(integrationId);
    if (stream === undefined) return;
    stream.finishComparison(read.head.removals);
    if (stream.removals !== read.head.removals) this.#options.onBehind(integrationId);
    if (stream.removals !== read.head.removals || stream.lastSeq < read.after) return;
    const { head } = read;
    if (head.epoch !== stream.epoch || head.seq < read.after) {
      stream.resync(head);
      return;
    }
    const news = read.messages.filter(({ seq }) => seq > stream.lastSeq);
    const isWhole = news.length === head.seq - stream.lastSeq || head.seq <= stream.lastSeq;
    if (news.length > 0) this.#send(stream, news);
    if (!isWhole) stream.resync(head);
  }

  #send(stream: Stream, messages: readonly UpdateMessage[]): void {
    const at = messages.at(-1)?.at ?? '';
    stream.send(messages, (count, sockets) => this.#options.onWritten(count, sockets, at));
  }
}
