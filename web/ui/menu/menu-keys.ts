/** The item that a key moves to. Arrows wrap around; a letter moves to the next item that starts with it. */
export function menuTarget(key: string, labels: readonly string[], current: number): number | undefined {
  const count = labels.length;
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (current + 1) % count;
  if (key === 'ArrowUp') return current <= 0 ? count - 1 : current - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return key.length === 1 && key !== ' ' ? nextBeginning(key, labels, current) : undefined;
}

function nextBeginning(letter: string, labels: readonly string[], current: number): number | undefined {
  const begins = (index: number): boolean =>
    labels[index]!.trim().toLowerCase().startsWith(letter.toLowerCase());
  const order = labels.map((_, step) => (current + 1 + step) % labels.length);
  return order.find(begins);
}
