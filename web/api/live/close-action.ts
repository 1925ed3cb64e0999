import { closeCodes } from '#contract/runs/realtime.ts';

/** The close code tells the client whether and when to reconnect. */
export type CloseAction =
  /** Reconnect at a random time within `withinMs`: the server restarts or balances its load. */
  | { kind: 'return'; withinMs: number }
  /** Back off as after at least this many lost connections. */
  | { kind: 'back-off'; failures: number }
  /** The person has too many sockets. Check from time to time whether one has closed. */
  | { kind: 'wait' }
  /** Reconnecting would fail the same way. The person has to sign in, or the client has to be fixed. */
  | { kind: 'stop' };

const soonMs = 5_000;
/** About 8 s, because the server asked for less load. */
const slowFailures = 4;

export function closeAction(code: number): CloseAction {
  switch (code) {
    case closeCodes.badRequest:
    case closeCodes.expired:
    case closeCodes.forbidden:
      return { kind: 'stop' };
    case closeCodes.tooManyConnections:
      return { kind: 'wait' };
    case closeCodes.tooManyMessages:
    case closeCodes.slow:
      return { kind: 'back-off', failures: slowFailures };
    case closeCodes.tooOld:
    case closeCodes.restart:
      return { kind: 'return', withinMs: soonMs };
    case closeCodes.goingAway:
      return { kind: 'return', withinMs: 1_000 };
    default:
      return { kind: 'back-off', failures: 0 };
  }
}
