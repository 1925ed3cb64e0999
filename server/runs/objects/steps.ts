import type { JobStep } from '#contract/runs/runs.ts';
import type { ColumnType } from '#platform/database/rows/column-types.ts';
import { compareText } from './merge-lists.ts';
import { statusRank } from '../staleness.ts';

type StepTuple = [number, string, string, string | null, string | null, string | null];

/** Steps are stored without field names. */
export const steps: ColumnType<JobStep[]> = { pgType: 'json', encode: encodeSteps, decode: decodeSteps };

function encodeSteps(list: JobStep[]): string {
  return JSON.stringify(
    list.map(({ number, name, status, conclusion, startedAt, completedAt }): StepTuple => [
      number,
      name,
      status,
      conclusion,
      startedAt,
      completedAt,
    ]),
  );
}

export function decodeSteps(text: string): JobStep[] {
  if (text === '[]') return [];
  return (JSON.parse(text) as StepTuple[]).map(
    ([number, name, status, conclusion, startedAt, completedAt]) => ({
      number,
      name,
      status,
      conclusion,
      startedAt,
      completedAt,
    }),
  );
}

export const maxSteps = 1000;

/** Takes for each number the step with the most progress. In both lists the numbers ascend and are unique. */
export function mergeSteps(a: JobStep[], b: JobStep[]): JobStep[] {
  const merged: JobStep[] = [];
  let isA = true;
  for (let [i, j] = [0, 0]; i < a.length || j < b.length;) {
    const [one, other] = [a[i], b[j]];
    if (other === undefined || (one !== undefined && one.number < other.number)) {
      merged.push(one!);
      i += 1;
      continue;
    }
    const isSame = one?.number === other.number;
    const isFurther = !isSame || compareSteps(other, one!) > 0;
    merged.push(isFurther ? other : one!);
    isA &&= !isFurther;
    if (isSame) i += 1;
    j += 1;
  }
  return isA ? a : merged.slice(0, maxSteps);
}

/** Most progress, then latest time. The rest only makes the order total. */
function compareSteps(a: JobStep, b: JobStep): number {
  return (
    statusRank(a.status) - statusRank(b.status) ||
    compareText(a.completedAt ?? '', b.completedAt ?? '') ||
    compareText(a.startedAt ?? '', b.startedAt ?? '') ||
    compareText(a.conclusion ?? '', b.conclusion ?? '') ||
    compareText(a.name, b.name) ||
    compareText(a.status, b.status)
  );
}
