import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { noteDemoAddressIn } from '#test/support/identity/demo-keys.ts';

/** What tests start: the sources, or in a run of the whole suite the packaged form, which loads in half the time. */
export const productProgram =
  process.env['FORGEWATCH_TEST_PROGRAM'] ?? path.join(import.meta.dirname, '../../../bin/forgewatch.js');

export interface ProductProcess {
  /** The text after `ready ` on standard output. */
  ready: string;
  stderr(): string;
  /** Kills with SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Resolves to the exit code after the drain. */
  stop(): Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** Resolves to the exit code, or null when a signal ended the process. */
  exited: Promise<number | null>;
}

/**
 * Starts `forgewatch VERB` like an operator and waits for its `ready` line. With another Node it runs as a process group,
 * as in a terminal, and `signal` reaches all processes. `program` replaces `productProgram`.
 */
export async function startProduct(
  verb: string,
  env: NodeJS.ProcessEnv,
  ownNode?: string,
  program = productProgram,
): Promise<ProductProcess> {
  const child = spawn(ownNode ?? process.execPath, [program, verb], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownNode !== undefined,
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const ready = await Promise.race([
    firstReadyLine(child),
    exited.then(() => {
      throw new Error(`forgewatch ${verb} ended before it was ready: ${stderr}`);
    }),
  ]);
  await noteDemoAddressIn(env['DATA_DIR']);
  return {
    ready,
    stderr: () => stderr,
    kill: async () => void (await end(child, 'SIGKILL')),
    stop: () => end(child, 'SIGTERM'),
    signal: (name) => void (ownNode === undefined ? child.kill(name) : process.kill(-(child.pid ?? 0), name)),
    exited,
  };
}

/** Runs a `forgewatch` command until it exits. */
export async function runProduct(
  args: string[],
  env: NodeJS.ProcessEnv,
  program = productProgram,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

async function firstReadyLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('standard output is not piped');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('ready ')) {
      child.stdout.resume();
      return line.slice('ready '.length);
    }
  }
  return new Promise(() => {});
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  const [code] = (await exited) as [number | null];
  return code;
}
