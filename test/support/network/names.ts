import type { LookupAddress, lookup as resolve } from 'node:dns';

/** The look-up of a guarded fetch, which finds these addresses for a name. */
export function lookupOf(find: (name: string) => string[] | Error): typeof resolve {
  return ((name: string, _options: unknown, answer: (...found: unknown[]) => void) => {
    const found = find(name);
    if (found instanceof Error) answer(found);
    else
      answer(
        null,
        found.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  }) as unknown as typeof resolve;
}

/** What each name means, one answer for each time one is asked; the last one stays. */
export function namesAre(...answers: (string[] | Error)[]) {
  let asked = 0;
  const lookup = lookupOf(() => answers[Math.min(asked++, answers.length - 1)] ?? []);
  return { lookup, asked: () => asked };
}
