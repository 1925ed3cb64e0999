/** Milliseconds since the epoch. Passed where a test must set the time; SQL uses the database's own clock. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
