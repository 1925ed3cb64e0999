import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const root = path.join(import.meta.dirname, '../..');

export interface Child {
  process: ChildProcess;
  /** What follows `ready ` on its standard output. */
  ready: string;
  /** Sends one line, resolves to the next line it prints. */
  ask(line: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a Node program in a process of its own and waits for its line `ready …`. */
export async function startChild(
  script: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
  nodeArgs: string[] = [],
): Promise<Child> {
  const child = spawn(process.execPath, [...nodeArgs, path.join(root, script), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${script} ended unexpectedly`);
    return value;
  };
  let ready = await nextLine();
  while (!ready.startsWith('ready')) ready = await nextLine();
  return {
    process: child,
    ready: ready.slice('ready '.length),
    ask: async (line) => {
      child.stdin.write(`${line}\n`);
      return nextLine();
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export const product = 'bin/forgewatch.js';
