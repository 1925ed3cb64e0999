/** Milliseconds since the epoch. Injected where a test sets the time. SQL uses the clock of the database. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
