import { RateLimited, type ForgeHeaders } from '../errors.ts';
import { enterInTurn } from './turn.ts';
import type { ForgeGate, Priority } from './forge-gate.ts';

/** Passes the reading of a log through the gate as one call. */
export async function* gatedLog(
  gate: ForgeGate,
  connection: string,
  priority: Priority,
  read: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const leave = await enterInTurn(() => gate.enter(connection, priority));
  let limited: RateLimited | undefined;
  try {
    yield* read();
  } catch (error) {
    if (error instanceof RateLimited) limited = error;
    throw error;
  } finally {
    await leave(limited && { status: 429, headers: waitOf(limited) });
  }
}

function waitOf({ waitMs }: RateLimited): ForgeHeaders {
  return waitMs === undefined ? {} : { 'retry-after': Math.ceil(waitMs / 1000) };
}
