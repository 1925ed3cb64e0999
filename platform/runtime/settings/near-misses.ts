import { documentSettings } from './settings.ts';

export interface NearMiss {
  given: string;
  meant: string;
}

/** Two letters that are swapped, missing, too many or wrong are one slip each. Short names resemble too many others. */
const lettersPerSlip = 5;
const mostSlips = 2;

/** Variables whose names resemble that of a setting that is not set. Such a variable has no effect. */
export function nearMisses(env: NodeJS.ProcessEnv): NearMiss[] {
  const names = documentSettings().map(({ name }) => name);
  const unset = names.filter((name) => env[name] === undefined);
  const known = new Set(names);
  return Object.keys(env)
    .filter((given) => !known.has(given) && /^[A-Z][A-Z0-9_]{4,60}$/.test(given))
    .flatMap((given) => {
      const meant = unset.find((name) => slips(given, name) <= allowedSlips(name));
      return meant === undefined ? [] : [{ given, meant }];
    });
}

const allowedSlips = (name: string): number => Math.min(mostSlips, Math.floor(name.length / lettersPerSlip));

/** The Damerau-Levenshtein distance of two texts, with swaps of neighbours only. */
function slips(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > mostSlips) return Infinity;
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          last[j]! + 1,
          row[j - 1]! + 1,
          last[j - 1]! + (isSame ? 0 : 1),
          isSwap ? before[j - 2]! + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
