import type { RunFact } from '../world/facts.ts';

export function branchName({ branch, fork }: Pick<RunFact, 'branch' | 'fork'>): string {
  // The queue tests a pull request together with others; a later test of it is on another branch.
  const queued = /^gh-readonly-queue\/.*\/pr-(\d+)-/.exec(branch)?.[1];
  if (queued !== undefined) return mergeQueueOf(Number(queued));
  return fork === null ? branch : `${fork}:${branch}`;
}

export const mergeQueueOf = (number: number): string => `merge queue of #${number}`;
