import type { Cursors, UpdateMessage } from '#contract/runs/realtime.ts';
import { removals, type CommittedUpdate } from '../outbox/append-updates.ts';
import type { Connection } from './connection.ts';
import type { RealtimePolicy } from '../policy.ts';
import { Stream, type Position } from './stream.ts';

export interface HubOptions {
  policy: RealtimePolicy;
  /** The database may have updates of this integration that the hub does not have. */
  onBehind(integrationId: string): void;
  /** `at` is the time of the last of these messages, in ISO 8601. */
  onWritten(messages: number, sockets: number, at: string): void;
  /** A socket lost access to an integration. */
  onRevoked(connection: Connection, integrationId: string): void;
}

/** Missed updates of one integration, read from the database. */
export interface CatchUp {
  after: number;
  head: Position;
  messages: readonly UpdateMessage[];
  /** Users with sockets who are not members. */
  gone: ReadonlySet<string>;
}

/** The open sockets of this node by integration. Sends each update to every socket once and in order. */
export class Hub {
  readonly connections = new Set<Connection>();
  readonly #streams = new Map<string, Stream>();
  readonly #options: HubOptions;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** Adds a socket. `positions` was read at its handshake; it is used for integrations that are new to the hub. */
  add(connection: Connection, positions: ReadonlyMap<string, Position>): void {
    this.connections.add(connection);
    // All sockets share one copy of each id.
    connection.integrationIds = [...positions].map(([id, position]) => this.#join(connection, id, position));
  }

  /** Replaces the integrations of an open socket. Those it keeps continue without a gap. */
  replace(connection: Connection, positions: ReadonlyMap<string, Position>): void {
    for (const id of connection.integrationIds) if (!positions.has(id)) this.#leave(connection, id);
    this.add(connection, positions);
  }

  #join(connection: Connection, id: string, position: Position): string {
    const stream = this.#streams.get(id) ?? this.#open(id, position);
    // Members were removed around the handshake: read which.
    if (stream.removals !== position.removals) this.#options.onBehind(id);
    stream.join(connection, position.removals);
    return stream.integrationId;
  }

  #open(integrationId: string, position: Position): Stream {
    const stream = new Stream(integrationId, position, this.#options.policy);
    this.#streams.set(integrationId, stream);
    // Notifications between the statement of the handshake and now were ignored.
    this.#options.onBehind(integrationId);
    return stream;
  }

  remove(connection: Connection): void {
    this.connections.delete(connection);
    for (const integrationId of connection.integrationIds) this.#leave(connection, integrationId);
  }

  /** Removes an integration from the sockets of these users, or of everybody when it was deleted. */
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

  /** The position of each integration of a socket. */
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
   * Sends updates that this process committed. If they do not follow the current position, or follow an unknown removal, the
   * hub asks to read them from the database instead.
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
   * Sends updates that were read from the database: everything after `after` that the outbox still has, up to `head`. Sends
   * `resync` if some are missing.
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
    const unsent = read.messages.filter(({ seq }) => seq > stream.lastSeq);
    const isComplete = unsent.length === head.seq - stream.lastSeq || head.seq <= stream.lastSeq;
    if (unsent.length > 0) this.#send(stream, unsent);
    if (!isComplete) stream.resync(head);
  }

  #send(stream: Stream, messages: readonly UpdateMessage[]): void {
    const at = messages.at(-1)?.at ?? '';
    stream.send(messages, (count, sockets) => this.#options.onWritten(count, sockets, at));
  }
}
