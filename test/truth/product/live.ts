import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { controlProtocol, type ServerMessage, type UpdateMessage } from '#contract/runs/realtime.ts';
import type { WorkflowJob, WorkflowRun } from '#contract/runs/runs.ts';
import type { Tenant } from '#test/support/product/killable-product.ts';

/** A screen that stays open over the whole world, and what it was told. */
export interface Live {
  /** The last state of each run and job, by type and ids. */
  objects: ReadonlyMap<string, WorkflowRun | WorkflowJob>;
  /** Updates that came twice with another number, or with a gap between. Must stay empty. */
  faults: readonly string[];
  /** How often it was told to read everything again: what it held then is not known any more. */
  resyncs(): number;
  close(): void;
}

export const liveKey = (type: string, { runId, ...data }: WorkflowRun | WorkflowJob): string =>
  `${type} ${runId}${'jobId' in data ? `/${data.attempt}/${data.jobId}` : ''}`;

/** Connects, and again with the last number that it read when the connection breaks. */
export async function openLive({ owner, integrationId }: Tenant): Promise<Live> {
  const objects = new Map<string, WorkflowRun | WorkflowJob>();
  const faults: string[] = [];
  let position: { epoch: string; seq: number } | undefined;
  let resyncs = 0;
  let isResuming = false;
  const following = new AbortController();
  let socket: WebSocket | undefined;

  const apply = (message: UpdateMessage): void => {
    const { epoch, seq, type, data } = message;
    if (position !== undefined && epoch === position.epoch && seq <= position.seq) return;
    if (position !== undefined && (epoch !== position.epoch || seq !== position.seq + 1)) {
      // What is new may overtake what a resume repeats, which then holds it too.
      if (!isResuming) faults.push(`update ${seq} came after ${position.seq}`);
      return;
    }
    isResuming = false;
    position = { epoch, seq };
    objects.set(liveKey(type, data), data);
  };

  const hear = (message: ServerMessage): void => {
    if (message.type === 'hello') {
      const here = message.cursors[integrationId];
      isResuming = position !== undefined && position.seq !== here?.seq;
      if (isResuming)
        socket?.send(JSON.stringify({ type: 'resume', cursors: { [integrationId]: position } }));
      else position = here;
    } else if (message.type === 'resync') {
      resyncs += 1;
      position = undefined;
    } else if ('seq' in message) apply(message);
  };

  async function connect(): Promise<void> {
    const { body } = await owner.call('GET', '/api/auth/ws-token');
    const opened = new WebSocket(`${String(body['url'])}?channel=workflows&token=${String(body['token'])}`, [
      controlProtocol,
    ]);
    socket = opened;
    await new Promise<void>((resolve, reject) => {
      opened.once('error', reject);
      opened.on('message', (data: Buffer) => {
        hear(JSON.parse(data.toString()) as ServerMessage);
        resolve();
      });
    });
    opened.on('error', () => {});
    opened.once('close', () => void reconnect());
  }

  async function reconnect(): Promise<void> {
    while (!following.signal.aborted) {
      const isOpen = await connect().then(
        () => true,
        () => false,
      );
      if (isOpen) return;
      await delay(100);
    }
  }

  await connect();
  return {
    objects,
    faults,
    resyncs: () => resyncs,
    close: () => {
      following.abort();
      socket?.terminate();
    },
  };
}
