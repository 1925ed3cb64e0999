import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { ServerMessage } from '#contract/realtime.ts';
import { frameOf } from './frame.ts';
import type { RealtimePolicy } from '../policy.ts';
import type { TokenClaims } from '#server/realtime/handshake/ws-token.ts';

const resyncFrame = frameOf({ v: 1, type: 'resync' });

/**
 * One open socket. Frames go straight to the network socket: without compression `ws` queues nothing of its own, so
 * both ways keep their order. Times are milliseconds of `performance.now()`.
 */
export class Connection {
  // What each write looks at stands together: a fan-out waits for memory more than for anything else of ours.
  readonly #socket: Socket;
  readonly #policy: RealtimePolicy;
  #isLeaving = false;
  /** 0 while it keeps up. */
  laggingSince = 0;
  /** Asked for control messages. */
  readonly isControl: boolean;
  readonly id: string;
  readonly userId: string;
  /** Filled by the hub; shrinks when access is taken away. */
  integrationIds: readonly string[] = [];
  /** The sign-in that this socket ends with. */
  sessionId = '';
  /** When its token was made. */
  issuedAt = new Date(0);
  readonly ws: WebSocket;
  nextPingAt: number;
  /** 0 when no ping is unanswered. */
  pongDueAt = 0;
  tooOldAt = 0;
  /** Set back by each sweep. */
  messagesThisSecond = 0;
  /** Ends when the last replay asked for so far was sent; undefined before the first. */
  replays: Promise<void> | undefined = undefined;
  /** Ends when the last fresh token was taken up; undefined before the first. */
  renewals: Promise<void> | undefined = undefined;
  /** Control messages that came while it lagged: few, and gone with it when that lasts. */
  #pendingControl: Buffer[] = [];

  constructor(options: {
    id: string;
    claims: Pick<TokenClaims, 'userId' | 'sessionId' | 'issuedAt'>;
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

  /** A fresh token was given: its age begins anew. */
  renew({ sessionId, issuedAt }: Pick<TokenClaims, 'sessionId' | 'issuedAt'>): void {
    const { maxAgeMs, maxAgeJitter } = this.#policy;
    this.sessionId = sessionId;
    this.issuedAt = issuedAt;
    this.tooOldAt = performance.now() + maxAgeMs * (1 + maxAgeJitter * (2 * Math.random() - 1));
  }

  /** Bytes that the network has not taken yet. */
  get queuedBytes(): number {
    return this.#socket.writableLength;
  }

  get isOpen(): boolean {
    return !this.#isLeaving && this.#socket.writable;
  }

  /** Says goodbye; nothing is sent after it. */
  close(code: number, reason: string): void {
    this.leave();
    this.ws.close(code, reason);
  }

  /** A closing handshake has begun, or what the client sent was broken: nothing may be sent any more. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** Sends a frame; false when it was left out because the client lags or is leaving. */
  write(frame: Buffer): boolean {
    if (this.laggingSince !== 0 || !this.isOpen) return false;
    if (this.#socket.writableLength > this.#policy.lagBytes) {
      this.#lag();
      return false;
    }
    this.#socket.write(frame);
    return true;
  }

  /** Sends a control message, to clients that asked for them. Who lags gets it later: nothing would make up for it. */
  sendControl(message: ServerMessage): void {
    if (!this.isControl) return;
    const frame = frameOf(message);
    if (!this.write(frame) && this.isOpen) this.#pendingControl.push(frame);
  }

  /** Asks for a pong, behind everything that is queued. */
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

  /** From here on updates are left out; once all that was sent has left, the client is told to read again. */
  #lag(): void {
    this.laggingSince = performance.now();
    this.#socket.once('drain', () => {
      this.laggingSince = 0;
      // In one piece, which is taken whatever its length.
      if (this.isControl) this.write(Buffer.concat([...this.#pendingControl.splice(0), resyncFrame]));
    });
  }
}
