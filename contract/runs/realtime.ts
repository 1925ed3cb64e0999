import type { WorkflowJob, WorkflowRun } from './runs.ts';

/** Requested in `Sec-WebSocket-Protocol`. Clients that do not request it only get data messages. */
export const controlProtocol = 'workflows.v1';

export type UpdateType = 'workflow_run' | 'workflow_job';

/** A stored change. `data` is the whole current object, so applying it twice is harmless. */
export interface UpdateMessage {
  v: 1;
  type: UpdateType;
  integrationId: string;
  /** Changes when the counter restarts. The client then reloads its lists. */
  epoch: string;
  /** Increments by one per integration, so that clients can detect gaps. */
  seq: number;
  at: string;
  data: WorkflowRun | WorkflowJob;
}

export type Cursors = Record<string, { epoch: string; seq: number }>;

/** Only for clients that requested `controlProtocol`. */
export type ControlMessage =
  | { v: 1; type: 'hello'; cursors: Cursors }
  /** Updates were skipped: reload the lists on screen. */
  | { v: 1; type: 'resync'; integrationId?: string }
  | { v: 1; type: 'access.revoked'; integrationId: string }
  /** The user joined an integration or got another role: reload the list and send a new token. */
  | { v: 1; type: 'integrations.changed' }
  /** Incidents opened, closed or were changed by a person: reload those on screen. */
  | { v: 1; type: 'incidents.changed'; integrationId: string }
  /** Pull requests or reviews were stored: reload those on screen. */
  | { v: 1; type: 'pull-requests.changed'; integrationId: string }
  | { v: 1; type: 'pong' };

export type ServerMessage = UpdateMessage | ControlMessage;

export type ClientMessage =
  | { type: 'ping' }
  | { type: 'resume'; cursors: Cursors }
  | { type: 'auth'; token: string };

/** The code tells the client how to react; see `docs/architecture/realtime.md`. */
export const closeCodes = {
  goingAway: 1001,
  unsupportedData: 1003,
  restart: 1012,
  badRequest: 4001,
  expired: 4401,
  forbidden: 4403,
  tooOld: 4205,
  slow: 4208,
  tooManyMessages: 4429,
  /** Another socket of the same person must close first. */
  tooManyConnections: 4430,
} as const;
