/** The forge's usual time format: whole seconds in UTC. */
export function wholeSecond(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function wholeSecondOrNull(ms: number | null): string | null {
  return ms === null ? null : wholeSecond(ms);
}
