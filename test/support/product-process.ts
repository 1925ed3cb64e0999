import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const binary = path.join(import.meta.dirname, '../../bin/forgewatch.js');

export interface ProductProcess {
  /** What follows `ready ` on standard output. */
  ready: string;
  stderr(): string;
  /** `kill -9`: no handler runs. Resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves to the exit code after the drain. */
  stop(): Promise<number | null>;
}

/** Starts `forgewatch VERB` as an operator does and waits for its `ready` line. */
export async function startProduct(verb: string, env: NodeJS.ProcessEnv): Promise<ProductProcess> {
  const child = spawn(process.execPath, [binary, verb], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ready = await Promise.race([
    firstReadyLine(child),
    once(child, 'exit').then(() => {
      throw new Error(`forgewatch ${verb} ended before it was ready: ${stderr}`);
    }),
  ]);
  return {
    ready,
    stderr: () => stderr,
    kill: async () => void (await end(child, 'SIGKILL')),
    stop: () => end(child, 'SIGTERM'),
  };
}

/** Runs `forgewatch ...` to its end. */
export async function runProduct(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [binary, ...args], {
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

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
