import type { UpdateMessage } from '#contract/realtime.ts';
import type { Connection } from './connection.ts';
import type { RealtimePolicy } from '../policy.ts';
import { Stream, type Position } from './stream.ts';

export interface HubOptions {
  policy: RealtimePolicy;
  /** This integration may have updates in the database that the hub has not seen: read them. */
  onBehind(integrationId: string): void;
  /** So many messages were written to so many sockets; the last of them was stored at `at`, in ISO 8601. */
  onWritten(messages: number, sockets: number, at: string): void;
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
    const streams = [...positions].map(([id, position]) => this.#streams.get(id) ?? this.#open(id, position));
    for (const stream of streams) stream.join(connection);
    // One copy of an id for all sockets.
    connection.integrationIds = streams.map(({ integrationId }) => integrationId);
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
    for (const integrationId of connection.integrationIds) this.removeFrom(connection, integrationId);
  }

  /** Ends the updates of one integration on a socket that stays open. */
  removeFrom(connection: Connection, integrationId: string): void {
    const stream = this.#streams.get(integrationId);
    stream?.leave(connection);
    if (stream?.isEmpty) this.#streams.delete(integrationId);
  }

  stream(integrationId: string): Stream | undefined {
    return this.#streams.get(integrationId);
  }

  /** Where the updates of one socket's integrations begin. */
  positionsOf({ integrationIds }: Connection): Record<string, Position> {
    return Object.fromEntries(
      integrationIds.flatMap((id) => {
        const stream = this.#streams.get(id);
        return stream === undefined ? [] : [[id, { epoch: stream.epoch, seq: stream.lastSeq }]];
      }),
    );
  }

  positions(): Map<string, Position> {
    return new Map([...this.#streams].map(([id, { epoch, lastSeq }]) => [id, { epoch, seq: lastSeq }]));
  }

  /** Passes on what this process has just committed; what does not follow at once is read from the database. */
  deliver(messages: readonly UpdateMessage[]): void {
    for (const [integrationId, group] of Map.groupBy(messages, (message) => message.integrationId)) {
      const stream = this.#streams.get(integrationId);
      if (stream === undefined) continue;
      const isNext = group.every(
        ({ seq, epoch }, index) => epoch === stream.epoch && seq === stream.lastSeq + 1 + index,
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
  catchUp(
    integrationId: string,
    read: { after: number; head: Position; messages: readonly UpdateMessage[] },
  ): void {
    const stream = this.#streams.get(integrationId);
    if (stream === undefined || stream.lastSeq < read.after) return;
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
