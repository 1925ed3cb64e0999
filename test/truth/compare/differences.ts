/** Collects what differs, in sentences that name the thing. */
export class Differences {
  readonly lines: string[] = [];

  add(line: string): void {
    this.lines.push(line);
  }

  same(what: string, shown: unknown, expected: unknown): void {
    if (JSON.stringify(shown) !== JSON.stringify(expected))
      this.lines.push(`${what} is ${JSON.stringify(shown)}, and must be ${JSON.stringify(expected)}`);
  }

  /** Compares field by field; an undefined expectation is none. */
  sameFields(what: string, shown: object, expected: object): void {
    const found = new Map<string, unknown>(Object.entries(shown));
    for (const [field, value] of Object.entries(expected))
      if (value !== undefined) this.same(`${what}: ${field}`, found.get(field), value);
  }

  /** Compares lists without order. */
  sameSet(what: string, shown: readonly string[], expected: readonly string[]): void {
    for (const line of minus(shown, expected)) this.lines.push(`${what}: must not be shown: ${line}`);
    for (const line of minus(expected, shown)) this.lines.push(`${what}: is not shown: ${line}`);
  }
}

function minus(from: readonly string[], what: readonly string[]): string[] {
  const left = [...what];
  return from.filter((line) => {
    const index = left.indexOf(line);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
