import type { FailureRule } from '#contract/metrics/deployments.ts';
import type { Deployed } from './count-deployments.ts';

/** What a deployment brought that no deployment before it had. */
export interface Contents {
  commits: readonly { title: string | null }[];
  pulls: readonly DeployedPullRow[];
}

export interface DeployedPullRow {
  repository: string;
  number: number;
  title: string | null;
  url: string | null;
  mergedAt: number;
  headBranch: string | null;
  labels: readonly string[];
}

export interface RuleFailure {
  rule: FailureRule;
  /** The deployment that tells. */
  by: string;
  /** The pull request in it that reverts or fixes. */
  pullRequest: number | null;
}

/** Whether what replaced the deployment says that it had failed. `contentsOf` is undefined where they are not known. */
export function failureOf(
  deployed: Deployed,
  contentsOf: (of: Deployed) => Contents | undefined,
): RuleFailure | null {
  const { next } = deployed;
  if (next === null) return null;
  const by = next.key;
  if (next.isRollback) return { rule: 'rollback', by, pullRequest: null };
  const later = contentsOf(next);
  if (later === undefined) return null;
  const reverted = findRevert(later, contentsOf(deployed));
  if (reverted !== undefined) return { rule: 'revert', by, pullRequest: reverted };
  const hotfix = later.pulls.find(isHotfix);
  return hotfix === undefined ? null : { rule: 'hotfix', by, pullRequest: hotfix.number };
}

/** The pull request that reverts something of `earlier`, or null for a commit without one. Undefined when nothing does. */
function findRevert(later: Contents, earlier: Contents | undefined): number | null | undefined {
  if (earlier === undefined) return undefined;
  const titles = new Set([...earlier.commits, ...earlier.pulls].flatMap(({ title }) => bare(title) ?? []));
  const numbers = new Set(earlier.pulls.map(({ number }) => number));
  const reverts = (title: string | null): boolean => titles.has(revertedTitle(title) ?? '');
  const pull = later.pulls.find(
    ({ title, headBranch }) => reverts(title) || numbers.has(revertedNumber(headBranch) ?? NaN),
  );
  if (pull !== undefined) return pull.number;
  return later.commits.some(({ title }) => reverts(title)) ? null : undefined;
}

/** Forges add the number of the pull request to the title of its commit. */
const bare = (title: string | null): string | undefined => title?.replace(/ \(#\d{1,15}\)$/, '').trim();

/** As Git, the forges and conventional commits write it. */
function revertedTitle(title: string | null): string | undefined {
  const [, quoted, conventional] =
    /^(?:revert "(.+)"|revert(?:\([^()]*\))?!?: (.+))$/i.exec(bare(title) ?? '') ?? [];
  return bare(quoted ?? conventional ?? null);
}

/** Of the branch that GitHub makes to revert a pull request. */
function revertedNumber(branch: string | null): number | undefined {
  const [, number] = /^revert-(\d{1,15})-/.exec(branch ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}

function isHotfix({ headBranch, labels }: DeployedPullRow): boolean {
  return /^hotfix(?:[/_-]|$)/i.test(headBranch ?? '') || labels.some((label) => /^hotfix$/i.test(label));
}
