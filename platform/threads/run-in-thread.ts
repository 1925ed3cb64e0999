import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Work, WorkResult } from './thread.ts';

/** A thread costs about 10 MB and 50 ms to start, so it is kept for the next task. */
const idleMs = 30_000;

/** Several times the need of the largest webhook. Beyond it the thread ends and its task fails. */
const heapMb = 512;

let worker: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the function `task` of `module` outside the event loop, one task at a time in the order of the calls. Input and
 * output are copied as by `structuredClone`; `transfer` names buffers of the input that move instead, and are empty here
 * afterwards. Buffers at the top of the output and in lists there always move.
 * @throws what the task threw, or when its thread ran out of memory.
 */
export function runInThread<Input, Output>(
  module: URL,
  input: Input,
  transfer: readonly ArrayBufferLike[] = [],
): Promise<Output> {
  const run = async (): Promise<Output> => {
    const result = await ask({ module: module.href, input }, transfer);
    if (!result.ok) throw result.error;
    return result.output as Output;
  };
  const answer = last.then(run, run);
  last = answer.catch(() => {});
  return answer;
}

async function ask(work: Work, transfer: readonly ArrayBufferLike[]): Promise<WorkResult> {
  clearTimeout(idleTimer);
  const thread = (worker ??= startThread());
  thread.ref();
  try {
    thread.postMessage(
      work,
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
