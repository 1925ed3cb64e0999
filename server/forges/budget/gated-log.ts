import type { ForgeGate, Priority } from './forge-gate.ts';

/** Longer than a log may take. */
const leaseMs = 150_000;

/** Passes the reading of a log through the gate as one call. */
export async function* gatedLog(
  gate: ForgeGate,
  connection: string,
  priority: Priority,
  read: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const leave = await gate.enter(connection, priority, leaseMs);
  try {
    yield* read();
  } finally {
    await leave();
  }
}
