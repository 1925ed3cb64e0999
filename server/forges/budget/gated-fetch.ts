import { checkTimeLimit } from './task-time.ts';
import type { ForgeGate, Priority } from './forge-gate.ts';

/** The part of `fetch` that the library of the forge's API uses. */
export type ForgeFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Aborts a call to a forge that hangs. */
export const callTimeoutMs = 20_000;

/** Passes each call of a connection through the gate. */
export function gatedFetch(
  gate: ForgeGate,
  connection: string,
  priority: Priority,
  fetch: ForgeFetch,
): ForgeFetch {
  return async (url, init) => {
    checkTimeLimit();
    const leave = await gate.enter(connection, priority);
    let answer: Response | undefined;
    try {
      answer = await fetch(url, init);
      return answer;
    } finally {
      await leave(
        answer && {
          status: answer.status,
          headers: Object.fromEntries(answer.headers) as Record<string, string>,
        },
      );
    }
  };
}
