import type { RunFact } from '../world/facts.ts';

export function branchName({ branch, fork }: Pick<RunFact, 'branch' | 'fork'>): string {
  // The queue tests a pull request together with others; a later test of it is on another branch.
  const [, base, number] = /^gh-readonly-queue\/(.*)\/pr-(\d+)-/.exec(branch) ?? [];
  if (base !== undefined) return `${mergeQueuesOf(Number(number))} into ${base}`;
  return fork === null ? branch : `${fork}:${branch}`;
}

export const mergeQueuesOf = (number: number): string => `merge queue of #${number}`;
