import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Bench } from './types.ts';

export const root = path.join(import.meta.dirname, '../..');

export interface Child {
  pid: number;
  /** The text after `ready ` on its standard output. */
  ready: string;
  /** Sends one line and resolves to the next line that the program prints. */
  ask(line: string): Promise<string>;
  stop(): Promise<void>;
}

export interface ChildOptions {
  env?: NodeJS.ProcessEnv;
  nodeArgs?: string[];
}

/** Starts a Node program of this repository and waits for its line `ready …`. The budget's cleanup stops it. */
export function startNode(
  bench: Pick<Bench, 'onEnd'>,
  script: string,
  args: string[] = [],
  options: ChildOptions = {},
): Promise<Child> {
  return startChild(
    bench,
    process.execPath,
    [...(options.nodeArgs ?? []), path.join(root, script), ...args],
    options,
  );
}

/** Like `startNode`, for any program. */
export async function startChild(
  bench: Pick<Bench, 'onEnd'>,
  command: string,
  args: string[],
  { env = {} }: Omit<ChildOptions, 'nodeArgs'> = {},
): Promise<Child> {
  // Its own process group, so that Ctrl-C reaches only the script, which then stops everything in order.
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const stop = makeStop(child);
  bench.onEnd(stop);
  // A write to a child that has just exited is detected when the next line does not arrive.
  child.stdin.on('error', () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${path.basename(command)} ${args[0] ?? ''} exited unexpectedly`);
    return value;
  };
  let ready = await nextLine();
  while (!ready.startsWith('ready')) ready = await nextLine();
  return {
    pid: child.pid ?? 0,
    ready: ready.slice('ready '.length),
    ask: async (line) => {
      child.stdin.write(`${line}\n`);
      return nextLine();
    },
    stop,
  };
}

/** Longer than a drain takes. */
const patienceMs = 30_000;

function makeStop(child: ChildProcess): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    const last = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), patienceMs);
    child.kill('SIGTERM');
    await exited;
    clearTimeout(last);
  };
  return () => (stopping ??= stop());
}
