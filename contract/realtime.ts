import type { WorkflowJob, WorkflowRun } from './monitoring.ts';

/** Asked for in `Sec-WebSocket-Protocol`; without it a client gets data messages alone. */
export const controlProtocol = 'workflows.v1';

export type UpdateType = 'workflow_run' | 'workflow_job';

/** One stored change. `data` is the whole current object, so applying it twice is harmless. */
export interface UpdateMessage {
  v: 1;
  type: UpdateType;
  integrationId: string;
  /** Changes when the counter restarts; a client then refetches. */
  epoch: string;
  /** Grows by one per integration, so a gap shows. */
  seq: number;
  at: string;
  data: WorkflowRun | WorkflowJob;
}

export type Cursors = Record<string, { epoch: string; seq: number }>;

/** What only clients of `controlProtocol` get. */
export type ControlMessage =
  | { v: 1; type: 'hello'; cursors: Cursors }
  /** Updates were left out: refetch what is on screen. */
  | { v: 1; type: 'resync'; integrationId?: string }
  | { v: 1; type: 'access.revoked'; integrationId: string }
  /** The caller joined one, or has another role in one: read the list again, and send a fresh token. */
  | { v: 1; type: 'integrations.changed' }
  | { v: 1; type: 'pong' };

export type ServerMessage = UpdateMessage | ControlMessage;

export type ClientMessage =
  | { type: 'ping' }
  | { type: 'resume'; cursors: Cursors }
  | { type: 'auth'; token: string };

/** Why the server closed; the code tells the client what to do (realtime.md 4.8). */
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
  /** Another socket of the person has to close first. */
  tooManyConnections: 4430,
} as const;
