import type { WsToken } from '#contract/identity.ts';
import { controlProtocol, type ClientMessage, type ServerMessage } from '#contract/realtime.ts';
import { backOffMs, stableAfterMs } from '../back-off.ts';
import { ApiError } from '../problem.ts';
import { closeAction } from './close-action.ts';

export type ConnectionState = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'crowded' | 'stopped';

export type SurroundingsChange = 'online' | 'offline' | 'visible' | 'hidden';

/** What the socket needs of the browser. */
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
  /** There is no room for this page's socket: what it shows has to be read again. */
  onCrowded(): void;
}

const checkEveryMs = 10_000;
/** Shorter than idle limits of proxies; the server's own pings are not visible to a page. */
const quietMs = 20_000;
const answerWithinMs = 5_000;
/** A page served from the same machine works without a network, so that being offline is only a reason to be slow. */
const offlineRetryMs = 30_000;
/** How often a page without a place among the person's sockets asks for one, and is read again. */
const crowdedRetryMs = 30_000;
/** A page that nobody looks at leaves its place to others after this time, and misses nothing when it is back. */
const leaveHiddenMs = 5 * 60_000;

/**
 * Keeps one socket open: a fresh token for each connection, full-jitter back-off, close codes obeyed, no attempts while
 * the page is hidden, and a ping when it was quiet, since a dead line does not say so.
 */
export class LiveSocket {
  readonly #surroundings: Surroundings;
  readonly #events: SocketEvents;
  #state: ConnectionState = 'connecting';
  #socket: WebSocket | undefined;
  #isWanted = false;
  /** Counts attempts, so that what an abandoned one brings late is ignored; 0 in `#running` when none is under way. */
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

  /** Gives the open socket a fresh token, which names other integrations; without an open one it connects anew. */
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

  /** Connects anew at once: somebody asked to try again. */
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
      this.#follow(this.#surroundings.openSocket(addressOf(token), controlProtocol));
    } catch (error) {
      if (attempt === this.#running) this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#running = 0;
    const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
    this.#refusals = isRefused ? this.#refusals + 1 : 0;
    // Twice, because the first one may have met a session that was just being renewed.
    if (this.#refusals >= 2) this.#setState('stopped');
    else this.#retryIn(backOffMs(this.#failures++, this.#surroundings.random));
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
    const message = parse(text);
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
      this.#retryIn(backOffMs(this.#failures++, this.#surroundings.random));
    }
  }

  #crowded(): void {
    this.#setState('crowded');
    this.#events.onCrowded();
    if (!this.#surroundings.isVisible()) return;
    this.#retryTimer = setTimeout(() => void this.#connect(), crowdedRetryMs);
  }

  /** Without an attempt while nobody looks: becoming visible starts one at once. */
  #retryIn(delayMs: number): void {
    const isOnline = this.#surroundings.isOnline();
    this.#setState(isOnline ? 'reconnecting' : 'offline');
    if (!this.#surroundings.isVisible()) return;
    this.#retryTimer = setTimeout(() => void this.#connect(), isOnline ? delayMs : offlineRetryMs);
  }

  /** Timers of hidden pages run late, so that only a ping that was sent counts as unanswered. */
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

  /** The surroundings changed: is the line still there? */
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

function addressOf({ url, token }: WsToken): string {
  const address = new URL(url);
  address.searchParams.set('token', token);
  address.searchParams.set('channel', 'workflows');
  return address.href;
}

function parse(text: string): ServerMessage | undefined {
  try {
    return JSON.parse(text) as ServerMessage;
  } catch {
    return undefined;
  }
}
