import * as fc from 'fast-check';
import { families } from './families.ts';
import { runCase, type AnyCase, type Ground } from './run-case.ts';

export interface Finding {
  family: string;
  seed: number;
  /** Leads fast-check from the seed to the shrunk case. */
  path: string;
  message: string;
  case: AnyCase;
}

/** How long a case is shrunk. */
const shrinkMs = 20_000;

/** More than these are the same mistake most of the time. */
const mostFindings = 8;

/**
 * Lets the families take turns until the time is up or enough was found, or until each has sent so many cases. The same seed sends the same
 * cases.
 */
export async function hunt(
  ground: Ground,
  { seed, until, cases, tell }: { seed: number; until: number; cases: number | undefined; tell: () => void },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const names = Object.keys(families);
  const turnMs = cases === undefined ? 4_000 : (until - Date.now()) / names.length;
  for (let turn = 0; Date.now() < until && findings.length < mostFindings; turn++) {
    for (const family of names) {
      const left = until - Date.now();
      if (left <= 0) break;
      const finding = await check(ground, family, {
        seed: seed + turn,
        interruptAfterTimeLimit: Math.min(turnMs, left),
        ...(cases === undefined ? {} : { numRuns: cases }),
      });
      if (finding !== undefined && !findings.some((known) => isAlike(known, finding)))
        findings.push(await shrunk(ground, finding));
      tell();
    }
    if (cases !== undefined) break;
  }
  return findings;
}

/** Runs one family from a seed; with a path, one case of it alone. */
export async function check(
  ground: Ground,
  family: string,
  options: {
    seed: number;
    path?: string;
    interruptAfterTimeLimit?: number;
    endOnFailure?: boolean;
    numRuns?: number;
  },
): Promise<Finding | undefined> {
  const arbitrary = families[family]?.(ground.surroundings);
  if (arbitrary === undefined)
    throw new Error(`There is no family ${family}. Known: ${Object.keys(families).join(', ')}`);
  const property = fc.asyncProperty(arbitrary, (each) => runCase(ground, each));
  const details = await fc.check(property, { numRuns: 1_000_000, endOnFailure: true, ...options });
  if (!details.failed || details.counterexample === null) return undefined;
  const message =
    details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance);
  return {
    family,
    seed: details.seed,
    path: details.counterexamplePath ?? '',
    message,
    case: details.counterexample[0],
  };
}

async function shrunk(ground: Ground, { family, seed, path, ...rest }: Finding): Promise<Finding> {
  const smaller = await check(ground, family, {
    seed,
    path,
    interruptAfterTimeLimit: shrinkMs,
    endOnFailure: false,
  });
  return smaller ?? { family, seed, path, ...rest };
}

/** The numbers and names in a message differ from case to case. */
function isAlike(one: Finding, other: Finding): boolean {
  const pattern = ({ message }: Finding): string =>
    message.replaceAll(/[\da-f-]{8,}|\d+/g, '#').slice(0, 120);
  return pattern(one) === pattern(other);
}
