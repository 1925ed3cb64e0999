import { enterInTurn, signalOfTurn } from './turn.ts';
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
    const leave = await enterInTurn(() => gate.enter(connection, priority));
    let answer: Response | undefined;
    try {
      const signal = signalOfTurn(init.signal);
      answer = await fetch(url, signal === undefined ? init : { ...init, signal });
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
