import { parentPort } from 'node:worker_threads';

/** A call in the thread: the function `task` of a module with one argument. */
export interface Work {
  module: string;
  input: unknown;
}

export type WorkResult = { ok: true; output: unknown } | { ok: false; error: unknown };

const port = parentPort!;

port.on('message', async ({ module, input }: Work) => {
  try {
    const { task } = (await import(module)) as { task(value: unknown): unknown };
    const output = await task(input);
    answer({ ok: true, output }, buffersOf(output));
  } catch (error) {
    answer({ ok: false, error });
  }
});

function answer(result: WorkResult, moved: ArrayBuffer[] = []): void {
  port.postMessage(result, moved);
}

/** Bytes at the top of an answer and in lists there change their owner rather than being copied; not those of a small buffer, a piece of a pool. */
function buffersOf(output: unknown): ArrayBuffer[] {
  return Object.values(Object(output) as object)
    .flat()
    .filter((value): value is Uint8Array<ArrayBuffer> => value instanceof Uint8Array)
    .filter(({ buffer, byteLength }) => buffer.byteLength === byteLength)
    .map(({ buffer }) => buffer)
    .filter((buffer, index, all) => buffer instanceof ArrayBuffer && all.indexOf(buffer) === index);
}
