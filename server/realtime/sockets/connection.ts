import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ServerMessage } from '#contract/runs/realtime.ts';
import { frameOf } from './frame.ts';
import type { RealtimePolicy } from '../policy.ts';
import type { TokenClaims } from '#server/realtime/handshake/ws-token.ts';

const resyncFrame = frameOf({ v: 1, type: 'resync' });

/**
 * One open socket. Frames are written directly to the network socket: without compression `ws` has no queue of its own, so the
 * order is kept. Times are milliseconds of `performance.now()`.
 */
export class Connection {
  // Fields that each write reads come first: a fan-out is bound by memory access.
  readonly #socket: Socket;
  readonly #policy: RealtimePolicy;
  #isClosing = false;
  /** 0 while the client does not lag. */
  laggingSince = 0;
  /** Whether the client requested control messages. */
  readonly isControl: boolean;
  readonly id: string;
  readonly userId: string;
  /** Set by the hub; shrinks when access is revoked. */
  integrationIds: readonly string[] = [];
  /** The socket ends with this session. */
  sessionId = '';
  issuedAt = new Date(0);
  readonly ws: WebSocket;
  nextPingAt: number;
  /** 0 when no ping is unanswered. */
  pongDueAt = 0;
  tooOldAt = 0;
  /** Reset by each sweep. */
  messagesThisSecond = 0;
  /** Requests that use the database, in progress or waiting. */
  #requests = 0;
  #lastRequest = Promise.resolve();
  /** Control messages to send after lagging. There are few, because a client that lags too long is disconnected. */
  #pendingControl: Buffer[] = [];

  constructor(options: {
    id: string;
    claims: Pick<TokenClaims, 'userId' | 'sessionId' | 'issuedAt' | 'endsAt'>;
    isControl: boolean;
    ws: WebSocket;
    socket: Socket;
    policy: RealtimePolicy;
  }) {
    this.id = options.id;
    this.userId = options.claims.userId;
    this.isControl = options.isControl;
    this.ws = options.ws;
    this.#socket = options.socket;
    this.#policy = options.policy;
    this.nextPingAt = performance.now() + options.policy.pingEveryMs;
    this.renew(options.claims);
  }

  /** Applies a new token and restarts the age of the socket. */
  renew({ sessionId, issuedAt, endsAt }: Pick<TokenClaims, 'sessionId' | 'issuedAt' | 'endsAt'>): void {
    const { maxAgeMs, maxAgeJitter } = this.#policy;
    this.sessionId = sessionId;
    this.issuedAt = issuedAt;
    const ageMs = maxAgeMs * (1 + maxAgeJitter * (2 * Math.random() - 1));
    const leftMs = endsAt === undefined ? Infinity : endsAt.getTime() - Date.now();
    this.tooOldAt = performance.now() + Math.min(ageMs, leftMs);
  }

  /**
   * Handles requests of the client that use the database one after the other. False when too many wait. `request` must not
   * reject.
   */
  enqueue(request: () => Promise<void>): boolean {
    if (this.#requests >= this.#policy.maxClientMessagesPerSecond) return false;
    this.#requests += 1;
    this.#lastRequest = this.#lastRequest.then(async () => {
      if (this.isOpen) await request();
      this.#requests -= 1;
    });
    return true;
  }

  /** Bytes not yet sent. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#socket.writable;
  }

  /** Sends a close frame; nothing is sent after it. */
  close(code: number, reason: string): void {
    this.leave();
    this.ws.close(code, reason);
  }

  /** Stops sending: the socket is closing, or the client sent an invalid frame. */
  leave(): void {
    this.#isClosing = true;
  }

  /** Sends a frame; false when it was skipped because the client lags or the socket closes. */
  write(frame: Buffer): boolean {
    if (this.laggingSince !== 0 || !this.isOpen) return false;
    if (this.#socket.writableLength > this.#policy.lagBytes) {
      this.#lag();
      return false;
    }
    this.#socket.write(frame);
    return true;
  }

  /** Sends a control message if the client requested them. A lagging client gets it later, because nothing repeats it. */
  sendControl(message: ServerMessage): void {
    if (!this.isControl) return;
    const frame = frameOf(message);
    if (!this.write(frame) && this.isOpen) this.#pendingControl.push(frame);
  }

  /** Sends a ping after all queued data. */
  ping(now: number): void {
    if (!this.isOpen) return;
    this.ws.ping();
    this.nextPingAt = Infinity;
    this.pongDueAt = now + this.#policy.pongTimeoutMs;
  }

  receivePong(): void {
    this.pongDueAt = 0;
    this.nextPingAt = performance.now() + this.#policy.pingEveryMs;
  }

  /** Skips updates until all queued data is sent, then sends `resync`. */
  #lag(): void {
    this.laggingSince = performance.now();
    this.#socket.once('drain', () => {
      this.laggingSince = 0;
      // One write, because a write is accepted whatever its length.
      if (this.isControl) this.write(Buffer.concat([...this.#pendingControl.splice(0), resyncFrame]));
    });
  }
}
