import { WebSocket } from 'ws';
import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { Cursors, ServerMessage, UpdateMessage } from '#contract/runs/realtime.ts';

/** What a list answers: the runs of an integration and where in its updates they were read. */
export interface Snapshot {
  epoch: string;
  seq: number;
  runs: Map<string, WorkflowRun | WorkflowJob>;
}

export interface FollowingClient {
  /** By run id, as on a screen. */
  readonly state: Map<string, WorkflowRun | WorkflowJob>;
  /** Numbers in the order they were applied, from the first list on. */
  readonly applied: number[];
  readonly refetches: number;
  readonly position: { epoch: string; seq: number } | undefined;
  /** Forgets the next so many live messages; what answers a resume comes through. */
  lose(messages: number): void;
  open(url: string): Promise<void>;
  /** How often a socket was opened. */
  readonly opens: number;
  close(): void;
  readonly closed: Promise<number>;
}

/**
 * Follows one integration by the rules clients are given: next number apply, earlier ignore, gap resume, `resync` read
 * the list again. After a reconnect it resumes from its own position.
 */
export function makeFollowingClient(integrationId: string, read: () => Promise<Snapshot>): FollowingClient {
  let ws: WebSocket | undefined;
  let closed: Promise<number> = Promise.resolve(0);
  let position: { epoch: string; seq: number } | undefined;
  let isResuming = false;
  let reading: Promise<void> | undefined;
  const state = new Map<string, WorkflowRun | WorkflowJob>();
  const applied: number[] = [];
  const counts = { lost: 0, refetches: 0, opens: 0 };

  const resume = (): void => {
    if (isResuming || position === undefined) return;
    isResuming = true;
    const cursors: Cursors = { [integrationId]: position };
    ws?.send(JSON.stringify({ type: 'resume', cursors }));
  };

  const refetch = (): void => {
    isResuming = false;
    counts.refetches += 1;
    reading = (reading ?? Promise.resolve()).then(read).then(({ epoch, seq, runs }) => {
      state.clear();
      for (const [key, run] of runs) state.set(key, run);
      position = { epoch, seq };
    });
  };

  const apply = ({ epoch, seq, data }: UpdateMessage): void => {
    if (position === undefined || epoch !== position.epoch) return refetch();
    if (seq <= position.seq) return;
    if (seq > position.seq + 1) return resume();
    isResuming = false;
    position = { epoch, seq };
    applied.push(seq);
    state.set(String(data.runId), data);
  };

  const hear = (message: ServerMessage): void => {
    if (message.type === 'hello') {
      const here = message.cursors[integrationId];
      if (position === undefined) refetch();
      else if (here?.seq !== position.seq || here.epoch !== position.epoch) resume();
    } else if (message.type === 'resync') refetch();
    else if ('seq' in message) apply(message);
  };

  return {
    state,
    applied,
    get refetches() {
      return counts.refetches;
    },
    get position() {
      return position;
    },
    get opens() {
      return counts.opens;
    },
    get closed() {
      return closed;
    },
    lose: (messages) => {
      counts.lost += messages;
    },
    open: async (url) => {
      const socket = new WebSocket(url, ['workflows.v1']);
      ws = socket;
      isResuming = false;
      socket.once('open', () => (counts.opens += 1));
      closed = new Promise((resolve) => socket.once('close', resolve));
      // One after the other: a list that is being read holds up what came after it.
      let turn: Promise<void> = Promise.resolve();
      socket.on('message', (data) => {
        turn = turn
          .then(() => reading)
          .then(() => {
            if (ws !== socket) return;
            const message = JSON.parse(String(data)) as ServerMessage;
            if ('seq' in message && !isResuming && counts.lost > 0) counts.lost -= 1;
            else hear(message);
          });
      });
      await new Promise<void>((resolve, reject) => {
        socket.once('open', resolve);
        socket.once('error', reject);
      });
    },
    close: () => ws?.terminate(),
  };
}
