import { closeCodes } from '#contract/realtime.ts';

/** What a closed socket means for the next one: the code tells the client what to do. */
export type CloseAction =
  /** Come back within `withinMs`, spread at random: the server goes or balances its load. */
  | { kind: 'return'; withinMs: number }
  /** Back off as after any lost connection, by at least so many failures. */
  | { kind: 'back-off'; failures: number }
  /** Another page of this person has to close first: look again from time to time. */
  | { kind: 'wait' }
  /** The same attempt would end the same way: somebody has to sign in or mend the client. */
  | { kind: 'stop' };

const soonMs = 5_000;
/** About 8 s: the server asked for less, not for the same again. */
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
