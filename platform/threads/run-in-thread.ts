import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Work, WorkResult } from './thread.ts';

/** A thread costs about 10 MB and 50 ms to start, so it is kept for the next task. */
const idleMs = 30_000;

/** Several times the need of the largest webhook. Beyond it the thread ends and its task fails. */
const heapMb = 512;

/** Each kind of work has a thread of its own: a report of tests takes seconds, and the sender of a webhook does not wait that long. */
export type Lane = 'webhooks' | 'reports';

export interface Turn {
  lane: Lane;
  /** For whom: owners take turns, so that many tasks of one delay another by one task. */
  owner: string;
  /** Buffers of the input that move instead of being copied, and are empty here afterwards. */
  transfer?: readonly ArrayBufferLike[];
}

const lanes: Record<Lane, ThreadLane> = { webhooks: makeLane(), reports: makeLane() };

/**
 * Runs the function `task` of `module` outside the event loop, one task of a lane at a time, those of one owner in the order of the calls.
 * Input and output are copied as by `structuredClone`. Buffers at the top of the output and in lists there always move.
 * @throws what the task threw, or when its thread ran out of memory.
 */
export async function runInThread<Input, Output>(
  module: URL,
  input: Input,
  { lane, owner, transfer = [] }: Turn,
): Promise<Output> {
  const result = await lanes[lane].run(owner, { module: module.href, input }, transfer);
  if (!result.ok) throw result.error;
  return result.output as Output;
}

interface ThreadLane {
  run(owner: string, work: Work, transfer: readonly ArrayBufferLike[]): Promise<WorkResult>;
}

/** One thread, which is started when it is needed. */
function makeLane(): ThreadLane {
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let isBusy = false;
  /** Owners in the order of their turns. */
  const waiting = new Map<string, (() => Promise<void>)[]>();

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let next = nextTask(); next !== undefined; next = nextTask()) await next();
    isBusy = false;
  }

  function nextTask(): (() => Promise<void>) | undefined {
    for (const [owner, tasks] of waiting) {
      const next = tasks.shift();
      waiting.delete(owner);
      if (tasks.length > 0) waiting.set(owner, tasks);
      return next;
    }
    return undefined;
  }

  async function ask(task: Work, transfer: readonly ArrayBufferLike[]): Promise<WorkResult> {
    clearTimeout(idleTimer);
    const thread = (worker ??= startThread());
    thread.ref();
    try {
      thread.postMessage(
        task,
        transfer.filter((buffer) => buffer instanceof ArrayBuffer),
      );
      const [result] = (await once(thread, 'message')) as [WorkResult];
      return result;
    } finally {
      // Neither an idle thread nor its timer keeps the process alive.
      thread.unref();
      idleTimer = setTimeout(() => {
        worker = undefined;
        void thread.terminate();
      }, idleMs).unref();
    }
  }

  function startThread(): Worker {
    const thread = new Worker(new URL('thread.ts', import.meta.url), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // `once` listens for errors only while a task runs.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (worker === thread) worker = undefined;
    });
    return thread;
  }

  return {
    run: (owner, task, transfer) =>
      new Promise((resolve, reject) => {
        const own = waiting.get(owner) ?? [];
        waiting.set(owner, own);
        own.push(() => ask(task, transfer).then(resolve, reject));
        void work();
      }),
  };
}
