import type { StreamPosition } from '#contract/runs/runs.ts';
import type { Cursors, ServerMessage, UpdateMessage } from '#contract/runs/realtime.ts';
import { frameQueue, type FrameQueue } from './frame-queue.ts';
import { LiveSocket, type ConnectionState, type Surroundings, type SurroundingsChange } from './socket.ts';
import { StreamPositions } from './stream-positions.ts';

export interface UpdateListener {
  /** Updates since the last frame, in order. */
  onUpdates(updates: readonly UpdateMessage[]): void;
  /** Updates are missing: reload the visible data. */
  onResync(): void;
  /** Incidents of the integration changed. */
  onIncidents?(): void;
  /** Pull requests or reviews of the integration changed. */
  onPullRequests?(): void;
  /** The connection is open. Data that was read without a stream position may be older than its start. */
  onConnected?(): void;
}

export interface LiveUpdatesOptions extends Surroundings {
  nextFrame(run: () => void): void;
  /** The integrations or roles of the caller changed, or may have changed while there was no connection. */
  onMembershipsChanged(): void;
  /** The caller lost access to an integration, which must not be shown any longer. */
  onRevoked(integrationId: string): void;
}

/** A hidden page with more waiting updates than this reloads its data instead. */
const maxWaiting = 2_000;
const replayWithinMs = 5_000;
/** During navigation there is no listener for a moment. The socket stays open. */
const lingerMs = 2_000;

/** The updates of all integrations over one socket, delivered to subscribers completely and in order. */
export class LiveUpdates {
  readonly #options: LiveUpdatesOptions;
  readonly #socket: LiveSocket;
  readonly #positions = new StreamPositions();
  readonly #listeners = new Map<string, Set<UpdateListener>>();
  readonly #stateListeners = new Set<() => void>();
  readonly #queue: FrameQueue<UpdateMessage>;
  /** Integrations that are still missing from the connection after its token was renewed. */
  readonly #absent = new Set<string>();
  #carried: ReadonlySet<string> | undefined;
  #lingerTimer: ReturnType<typeof setTimeout> | undefined;
  #replayTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LiveUpdatesOptions) {
    this.#options = options;
    this.#socket = new LiveSocket(options, {
      onState: (state) => this.#changed(state),
      onMessage: (message) => this.#received(message),
      onClosed: () => this.#closed(),
      onCrowded: () => this.#resync(this.#listeners.keys()),
    });
    this.#queue = frameQueue({
      nextFrame: options.nextFrame,
      limit: maxWaiting,
      onBatch: (updates) => this.#deliver(updates),
      onOverflow: () => this.#resync(this.#listeners.keys()),
    });
  }

  get state(): ConnectionState {
    return this.#socket.state;
  }

  /** For `useSyncExternalStore`. */
  onState = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  surroundingsChanged(change: SurroundingsChange): void {
    this.#socket.changed(change);
  }

  tryAgain(): void {
    this.#socket.renew();
  }

  listen(integrationId: string, listener: UpdateListener): () => void {
    const listeners = this.#listeners.get(integrationId) ?? new Set();
    this.#listeners.set(integrationId, listeners.add(listener));
    clearTimeout(this.#lingerTimer);
    this.#socket.start();
    this.#requireCarried(integrationId);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(integrationId) === listeners) {
        this.#listeners.delete(integrationId);
      }
      if (this.#listeners.size === 0) this.#lingerTimer = setTimeout(() => this.#leave(), lingerMs);
    };
  }

  /** False when updates between the list read at `stream` and the first update received here are missing. */
  isComplete(integrationId: string, stream: StreamPosition): boolean {
    return this.#positions.isComplete(integrationId, stream);
  }

  #changed(state: ConnectionState): void {
    this.#stateListeners.forEach((listener) => listener());
    // A refused client receives no further messages, so its memberships may have changed.
    if (state === 'stopped') this.#options.onMembershipsChanged();
  }

  #received(message: ServerMessage): void {
    switch (message.type) {
      case 'workflow_run':
      case 'workflow_job':
        this.#update(message);
        break;
      case 'hello':
        this.#connected(message.cursors);
        break;
      case 'resync':
        this.#resync(message.integrationId === undefined ? this.#listeners.keys() : [message.integrationId]);
        break;
      case 'integrations.changed':
        this.#options.onMembershipsChanged();
        void this.#socket.reauthenticate();
        break;
      case 'access.revoked':
        this.#revoked(message.integrationId);
        break;
      case 'incidents.changed':
        this.#tell([message.integrationId], (listener) => listener.onIncidents?.());
        break;
      case 'pull-requests.changed':
        this.#tell([message.integrationId], (listener) => listener.onPullRequests?.());
        break;
      case 'pong':
    }
  }

  #revoked(integrationId: string): void {
    this.#positions.forget(integrationId);
    // A component that is still mounted must not request it again.
    this.#absent.add(integrationId);
    this.#options.onRevoked(integrationId);
  }

  #update(message: UpdateMessage): void {
    const verdict = this.#positions.verdict(message);
    if (verdict === 'ignore' || !this.#listeners.has(message.integrationId)) return;
    this.#queue.push(message);
    if (verdict === 'gap') this.#tell([message.integrationId], (listener) => listener.onResync());
  }

  #deliver(updates: UpdateMessage[]): void {
    for (const [integrationId, own] of Map.groupBy(updates, (update) => update.integrationId)) {
      this.#tell([integrationId], (listener) => listener.onUpdates(own));
    }
  }

  #connected(cursors: Cursors): void {
    this.#carried = new Set(Object.keys(cursors));
    for (const integrationId of this.#carried) this.#absent.delete(integrationId);
    const { resume, lost } = this.#positions.connected(cursors);
    if (Object.keys(resume).length > 0) {
      this.#socket.send({ type: 'resume', cursors: resume });
      this.#replayTimer = setTimeout(() => this.#resync(this.#positions.replaying()), replayWithinMs);
    }
    this.#resync(lost);
    this.#tell(this.#listeners.keys(), (listener) => listener.onConnected?.());
    this.#options.onMembershipsChanged();
    for (const integrationId of this.#listeners.keys()) this.#requireCarried(integrationId);
  }

  /** The token of the open connection may be older than the membership. */
  #requireCarried(integrationId: string): void {
    if (this.#carried === undefined || this.#carried.has(integrationId)) return;
    if (this.#absent.has(integrationId)) return;
    this.#absent.add(integrationId);
    void this.#socket.reauthenticate();
  }

  #resync(integrationIds: Iterable<string>): void {
    const ids = [...integrationIds];
    for (const id of ids) this.#positions.forget(id);
    this.#tell(ids, (listener) => listener.onResync());
  }

  #closed(): void {
    this.#carried = undefined;
    clearTimeout(this.#replayTimer);
    this.#positions.keepOnly(new Set(this.#listeners.keys()));
  }

  #leave(): void {
    this.#socket.stop();
    this.#queue.clear();
    this.#closed();
  }

  #tell(integrationIds: Iterable<string>, say: (listener: UpdateListener) => void): void {
    for (const id of integrationIds) this.#listeners.get(id)?.forEach(say);
  }
}
