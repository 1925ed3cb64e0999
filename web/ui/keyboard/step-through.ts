/** The index before or after `index`, within a list of this length. Without a current index, the first. */
export function stepWithin(length: number, index: number, step: 1 | -1): number {
  return Math.max(0, Math.min(length - 1, index + step));
}
