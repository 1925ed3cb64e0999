import type { WsToken } from '#contract/members/identity.ts';
import { controlProtocol, type ClientMessage, type ServerMessage } from '#contract/runs/realtime.ts';
import { backOffMs } from '#contract/base/back-off.ts';
import { ApiError } from '../problem.ts';
import { closeAction } from './close-action.ts';
import { parseMessage, socketAddress } from './socket-messages.ts';

/** The intervals of the live socket, with their reasons. */

const checkEveryMs = 10_000;
/** Below common idle timeouts of proxies. Pages cannot see the server's pings. */
const quietMs = 20_000;
const answerWithinMs = 5_000;
const reconnectBackOff = { firstMs: 500, longestMs: 30_000 };
/** After a connection lasts this long, the back-off starts over. */
const stableAfterMs = 30_000;
/** A page served from the same machine works offline, so being offline only slows down the attempts. */
const offlineRetryMs = 30_000;
/** Interval at which a page without a socket place asks for one and reloads its data. */
const crowdedRetryMs = 30_000;
/** A page hidden for this long closes its socket to free the place. Missed updates are replayed later. */
const leaveHiddenMs = 5 * 60_000;

export type ConnectionState = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'crowded' | 'stopped';

export type SurroundingsChange = 'online' | 'offline' | 'visible' | 'hidden';

/** The browser features that the socket uses. */
export interface Surroundings {
  fetchToken(): Promise<WsToken>;
  openSocket(url: string, protocol: string): WebSocket;
  random(): number;
  isOnline(): boolean;
  isVisible(): boolean;
}

export interface SocketEvents {
  onState(state: ConnectionState): void;
  onMessage(message: ServerMessage): void;
  onClosed(): void;
  /** The server has no place for this page's socket. The page has to poll. */
  onCrowded(): void;
}

/**
 * Keeps one socket open. Each connection uses a new token, attempts back off with full jitter, close codes are
 * obeyed, hidden pages do not connect, and a quiet connection is pinged because a dead one reports no error.
 */
export class LiveSocket {
  readonly #surroundings: Surroundings;
  readonly #events: SocketEvents;
  #state: ConnectionState = 'connecting';
  #socket: WebSocket | undefined;
  #isWanted = false;
  /** Counts attempts, so that late events of an abandoned attempt are ignored. `#running` is 0 without an attempt. */
  #attempts = 0;
  #running = 0;
  #failures = 0;
  #refusals = 0;
  #heardAt = 0;
  #pingedAt = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #stableTimer: ReturnType<typeof setTimeout> | undefined;
  #checkTimer: ReturnType<typeof setInterval> | undefined;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(surroundings: Surroundings, events: SocketEvents) {
    this.#surroundings = surroundings;
    this.#events = events;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#setState('connecting');
    void this.#connect();
  }

  stop(): void {
    this.#isWanted = false;
    clearTimeout(this.#hiddenTimer);
    this.#release()?.close();
  }

  /** Sends a new token with the current integrations over the open socket, or reconnects without one. */
  async reauthenticate(): Promise<void> {
    const socket = this.#socket;
    if (this.#state !== 'live') return this.renew();
    try {
      const { token } = await this.#surroundings.fetchToken();
      if (socket === this.#socket) this.send({ type: 'auth', token });
    } catch {
      if (socket === this.#socket) this.renew();
    }
  }

  /** Reconnects at once, on request of the person. */
  renew(): void {
    if (!this.#isWanted) return;
    this.#release()?.close();
    this.#failures = 0;
    this.#refusals = 0;
    this.#setState('reconnecting');
    void this.#connect();
  }

  send(message: ClientMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  changed(change: SurroundingsChange): void {
    if (change === 'visible') clearTimeout(this.#hiddenTimer);
    if (!this.#isWanted || this.#state === 'stopped') return;
    if (change === 'hidden') this.#hidden();
    else if (this.#socket !== undefined) this.#verify();
    else if (change === 'offline') this.#setState('offline');
    else if (this.#running === 0) void this.#connect();
  }

  #hidden(): void {
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#hiddenTimer);
    this.#hiddenTimer = setTimeout(() => {
      if (this.#socket === undefined || this.#surroundings.isVisible()) return;
      this.#release()?.close();
      this.#events.onClosed();
      this.#setState('reconnecting');
    }, leaveHiddenMs);
  }

  async #connect(): Promise<void> {
    clearTimeout(this.#retryTimer);
    const attempt = ++this.#attempts;
    this.#running = attempt;
    try {
      const token = await this.#surroundings.fetchToken();
      if (attempt !== this.#running) return;
      this.#refusals = 0;
      this.#follow(this.#surroundings.openSocket(socketAddress(token), controlProtocol));
    } catch (error) {
      if (attempt === this.#running) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#running = 0;
    const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
    this.#refusals = isRefused ? this.#refusals + 1 : 0;
    // Twice, because the first attempt may coincide with a session renewal.
    if (this.#refusals >= 2) this.#setState('stopped');
    else this.#retryIn(backOffMs(reconnectBackOff, this.#failures++, this.#surroundings.random));
  }

  #follow(socket: WebSocket): void {
    this.#socket = socket;
    this.#heardAt = this.#pingedAt = Date.now();
    this.#checkTimer = setInterval(() => this.#check(), checkEveryMs);
    socket.addEventListener('message', ({ data }) => {
      if (socket === this.#socket) this.#received(String(data));
    });
    socket.addEventListener('close', ({ code }) => {
      if (socket === this.#socket) this.#closed(code);
    });
  }

  #received(text: string): void {
    this.#heardAt = Date.now();
    const message = parseMessage(text);
    if (message === undefined) return;
    if (message.type === 'hello') {
      this.#running = 0;
      this.#setState('live');
      clearTimeout(this.#stableTimer);
      this.#stableTimer = setTimeout(() => (this.#failures = 0), stableAfterMs);
    }
    this.#events.onMessage(message);
  }

  #closed(code: number): void {
    this.#release();
    this.#events.onClosed();
    const action = closeAction(code);
    if (action.kind === 'stop') this.#setState('stopped');
    else if (action.kind === 'wait') this.#crowded();
    else if (action.kind === 'return') this.#retryIn(this.#surroundings.random() * action.withinMs);
    else {
      this.#failures = Math.max(this.#failures, action.failures);
      this.#retryIn(backOffMs(reconnectBackOff, this.#failures++, this.#surroundings.random));
    }
  }

  #crowded(): void {
    this.#setState('crowded');
    this.#events.onCrowded();
    if (!this.#surroundings.isVisible()) return;
    this.#retryTimer = setTimeout(() => void this.#connect(), crowdedRetryMs);
  }

  /** A hidden page does not connect. It connects when it becomes visible. */
  #retryIn(delayMs: number): void {
    const isOnline = this.#surroundings.isOnline();
    this.#setState(isOnline ? 'reconnecting' : 'offline');
    if (!this.#surroundings.isVisible()) return;
    this.#retryTimer = setTimeout(() => void this.#connect(), isOnline ? delayMs : offlineRetryMs);
  }

  /** Timers of hidden pages run late, so only a ping that was sent can time out. */
  #check(): void {
    const now = Date.now();
    if (this.#pingedAt > this.#heardAt || this.#state !== 'live') {
      if (now - this.#pingedAt >= answerWithinMs) this.#abandon();
    } else if (now - this.#heardAt >= quietMs) this.#ping();
  }

  #ping(): void {
    this.#pingedAt = Date.now();
    this.send({ type: 'ping' });
  }

  /** Network or visibility changed: check the connection. */
  #verify(): void {
    const socket = this.#socket;
    if (this.#state !== 'live') return;
    this.#ping();
    const pingedAt = this.#pingedAt;
    setTimeout(() => {
      if (socket === this.#socket && this.#heardAt < pingedAt) this.#abandon();
    }, answerWithinMs);
  }

  #abandon(): void {
    const socket = this.#socket;
    this.#closed(1006);
    socket?.close();
  }

  #release(): WebSocket | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#running = 0;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#stableTimer);
    clearInterval(this.#checkTimer);
    return socket;
  }

  #setState(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events.onState(state);
  }
}
