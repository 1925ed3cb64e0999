import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Product, Questions } from '../target.ts';

interface Question {
  id: number;
  name: keyof Questions;
  args: unknown[];
}

interface Reply {
  id: number;
  value?: unknown;
  error?: string;
}

/** Starts the driver with these arguments and answers its questions until it ends. Resolves to its exit code. */
export async function drive(questions: Questions, args: string[]): Promise<number | null> {
  const driver: ChildProcess = fork(path.join(import.meta.dirname, '../driver-process.ts'), args, {
    execArgv: [],
  });
  driver.on('message', ({ id, name, args: given }: Question) => {
    const ask = questions[name] as (...args: unknown[]) => Promise<unknown>;
    const reply = (answer: Omit<Reply, 'id'>): void =>
      void (driver.connected && driver.send({ id, ...answer }));
    ask(...given).then(
      (value) => reply({ value }),
      (error: unknown) => reply({ error: String(error) }),
    );
  });
  const [code] = (await once(driver, 'exit')) as [number | null];
  return code;
}

/** The other end: each question goes to the process that started this one. */
export function askProduct(): Product {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let questions = 0;
  // Without the product there is nothing to do.
  process.once('disconnect', () => process.exit());
  process.on('message', ({ id, value, error }: Reply) => {
    const { resolve, reject } = waiting.get(id)!;
    waiting.delete(id);
    if (error === undefined) resolve(value);
    else reject(new Error(error));
  });
  const ask = (name: keyof Questions, ...args: unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++questions;
      waiting.set(id, { resolve, reject });
      process.send?.({ id, name, args } satisfies Question);
    });
  return {
    surroundings: () => ask('surroundings'),
    world: () => ask('world'),
    settled: () => ask('settled'),
    health: () => ask('health'),
    digest: () => ask('digest'),
    socketToken: (who: string) => ask('socketToken', who),
  } as Product;
}
