import { maxRangesRead, type ContentState, type Deployment } from '#contract/metrics/deployments.ts';
import { isFailed } from '#contract/runs/conclusions.ts';
import type { Tx } from '#platform/database/database.ts';
import { dayMs } from '#platform/runtime/time-units.ts';
import {
  findRanges,
  isFullSha,
  listConnected,
  requestRanges,
  type CommitRange,
} from '#server/failures/commits/request-commits.ts';
import { byTime, countDeployed, type Deployed, type Ended } from './count-deployments.ts';
import {
  listContained,
  listForgePages,
  listMarks,
  listOfEnvironments,
  listOfWorkflows,
  listPullsOf,
  maxEnded,
  type EndedQuery,
  type EndedRow,
  type MarkRow,
} from './deployment-store.ts';
import { failureOf, type DeployedPullRow } from './failure-rules.ts';
import { listSources, type SourceRow } from './source-store.ts';

/** Deployments before the range tell what is deployed at its beginning, and what was deployed before. */
const lookBackMs = 92 * dayMs;

/** A deployment with what the others say about it. */
export interface ReadDeployment {
  ended: Ended;
  /** The forge's page of the repository. */
  repositoryUrl: string | null;
  /** Null when it failed to deploy. */
  deployed: Deployed | null;
  failure: Deployment['failure'];
  mark: MarkRow | null;
  recoveryMs: number | null;
  contents: ContentState;
  /** Null when they are not known. */
  pulls: readonly DeployedPullRow[] | null;
}

export interface ReadDeployments {
  /** Of the span, in the order of time: successful ones that count, and those that failed to deploy. */
  items: ReadDeployment[];
  /** When the first known one ended. Null when none is known. */
  since: number | null;
}

export interface DeploymentSpan extends EndedQuery {
  branch: string | undefined;
  /** The end of what is known: later deployments tell about those of the span. */
  now: number;
}

/** Undefined when nothing is declared as a deployment to production. */
export async function readDeployments(
  tx: Tx,
  integrationId: string,
  { from, to, repository, branch, now }: DeploymentSpan,
): Promise<ReadDeployments | undefined> {
  const sources = await listSources(tx, integrationId);
  if (sources.length === 0) return undefined;
  const query = { from: from - lookBackMs, to: now, repository };
  const { ended, deployed } = await readEnded(tx, integrationId, sources, query);
  const isMeant = ({ at, ref }: Ended) => at >= from && at < to && (branch === undefined || ref === branch);
  const notDeployed = ended.filter(({ isDeployed }) => !isDeployed);
  const shown: (Ended | Deployed)[] = [...deployed, ...notDeployed].filter(isMeant).toSorted(byTime);
  const keys = deployed.map(({ key }) => key);
  const [contents, marks, pages] = await Promise.all([
    readContents(tx, integrationId, deployed, from),
    listMarks(tx, integrationId, keys),
    listForgePages(tx, integrationId, [...new Set(shown.map((each) => each.repository))]),
  ]);
  const markOf = new Map(marks.map((mark) => [mark.key, mark]));
  const pageOf = new Map(pages.map((page) => [page.repository, pageUrl(page)]));
  const judged = (each: Deployed) => judge(each, contents, markOf.get(each.key));
  const items = shown.map((each): ReadDeployment => {
    const repositoryUrl = pageOf.get(each.repository) ?? null;
    if (!('next' in each)) return { ...nothingKnown, ended: each, repositoryUrl };
    const { state, pulls } = contents.get(each.key) ?? { state: 'too_many', pulls: null };
    const failure = judged(each);
    return {
      ended: each,
      repositoryUrl,
      deployed: each,
      failure,
      mark: markOf.get(each.key) ?? null,
      recoveryMs: failure === null ? null : recoveryOf(each, (later) => judged(later) !== null),
      contents: state,
      pulls,
    };
  });
  const known = ended.filter(({ at }) => at < to).toSorted(byTime);
  return { items, since: known[0]?.at ?? null };
}

const nothingKnown = {
  deployed: null,
  failure: null,
  mark: null,
  recoveryMs: null,
  contents: 'read',
  pulls: [],
} as const;

const pageUrl = ({ host, fullName }: { host: string; fullName: string }): string =>
  `https://${host}/${encodeURI(fullName)}`;

/** Of all sources. Where one has more than are read, only those since its oldest one. */
async function readEnded(
  tx: Tx,
  integrationId: string,
  sources: readonly SourceRow[],
  query: EndedQuery,
): Promise<{ ended: Ended[]; deployed: Deployed[] }> {
  const environments = sources.flatMap(({ environment }) => environment ?? []);
  const workflows = sources.filter(({ environment }) => environment === null);
  const rows = await Promise.all([
    environments.length === 0 ? [] : listOfEnvironments(tx, integrationId, environments, query),
    workflows.length === 0 ? [] : listOfWorkflows(tx, integrationId, workflows, query),
  ]);
  const cutAt = rows
    .filter((list) => list.length >= maxEnded)
    .map((list) => list.reduce((least, { at }) => Math.min(least, at), Infinity));
  const ended = rows
    .flat()
    .flatMap(endedOf)
    .filter(({ at }) => cutAt.every((cut) => at >= cut));
  const contained = new Set((await listContained(tx, integrationId, ended)).map(keyOf));
  const deployed = countDeployed(ended, (repository, headSha, baseSha) =>
    contained.has(keyOf({ repository, baseSha, headSha })),
  );
  return { ended, deployed };
}

/** A run that waits for a person did not fail. */
function endedOf({ ending, ...row }: EndedRow): Ended[] {
  const isDeployed = ending === 'success';
  return isDeployed || ending === 'error' || isFailed(ending) ? [{ ...row, isDeployed }] : [];
}

/** What somebody said goes before the rules. */
function judge(
  deployed: Deployed,
  contents: ReadonlyMap<string, ReadContents>,
  mark: MarkRow | undefined,
): Deployment['failure'] {
  if (mark?.hasFailed === false) return null;
  const byRule = failureOf(deployed, ({ key }) => {
    const { commits, pulls } = contents.get(key) ?? { pulls: null, commits: [] };
    return pulls === null ? undefined : { commits, pulls };
  });
  return byRule ?? (mark === undefined ? null : { rule: 'person', by: null, pullRequest: null });
}

/** Until the next deployment to the same place that did not fail. Null when there is none yet. */
function recoveryOf(failed: Deployed, hasFailed: (each: Deployed) => boolean): number | null {
  for (let later = failed.next; later !== null; later = later.next)
    if (!hasFailed(later)) return later.at - failed.at;
  return null;
}

interface ReadContents {
  state: ContentState;
  commits: readonly { sha: string; title: string | null }[];
  pulls: readonly DeployedPullRow[] | null;
}

/** The commits that a deployment brought, which are asked for at the forge once. Undefined when there are none to ask for. */
function rangeOf({ repository, isRepeated, base, sha }: Deployed): CommitRange | undefined {
  return isRepeated || base === null || !isFullSha(base) || !isFullSha(sha)
    ? undefined
    : { repository, baseSha: base, headSha: sha };
}

const keyOf = ({ repository, baseSha, headSha }: CommitRange): string =>
  JSON.stringify([repository, baseSha, headSha]);

/** The contents of the newest deployments of the span, and of those before them, which these may revert. By key. */
async function readContents(
  tx: Tx,
  integrationId: string,
  deployed: readonly Deployed[],
  from: number,
): Promise<ReadonlyMap<string, ReadContents>> {
  const wanted = deployed
    .filter(({ at, next }) => at >= from || (next !== null && next.at >= from))
    .slice(-maxRangesRead);
  const ranges = wanted.flatMap((each) => rangeOf(each) ?? []);
  const [stored, connected] = await Promise.all([
    findRanges(tx, integrationId, ranges),
    listConnected(tx, integrationId, [...new Set(ranges.map(({ repository }) => repository))]),
  ]);
  const pulls = await listPullsOf(
    tx,
    integrationId,
    stored.flatMap(({ commits }) => commits.map(({ sha }) => sha)),
  );
  const storedOf = new Map(stored.map((each) => [keyOf(each), each]));
  const isConnected = new Set(connected);
  const notRead = (state: ContentState): ReadContents => ({ state, commits: [], pulls: null });
  const contentsOf = (each: Deployed): ReadContents => {
    if (each.isRepeated) return { state: 'repeated', commits: [], pulls: [] };
    if (each.base === null) return notRead('first');
    const range = rangeOf(each);
    if (range === undefined) return notRead('unreadable');
    const found = storedOf.get(keyOf(range));
    if (found === undefined) return notRead(isConnected.has(each.repository) ? 'reading' : 'no_connection');
    if (found.state !== 'read') return notRead(found.state === 'waiting' ? 'reading' : 'unreadable');
    if (found.commits.length < found.total) return notRead('too_many');
    const shas = new Set(found.commits.map(({ sha }) => sha));
    const own = pulls.filter((pull) => pull.repository === each.repository && shas.has(pull.mergeSha));
    return { state: 'read', commits: found.commits, pulls: own };
  };
  return new Map(wanted.map((each) => [each.key, contentsOf(each)]));
}

/** The newest deployments of which the commits are asked for. */
const maxAsked = 50;

/** Asks the forge for the commits of the newest deployments, where it was not asked yet. */
export async function requestDeployedCommits(tx: Tx, integrationId: string, now: number): Promise<void> {
  const sources = await listSources(tx, integrationId);
  const query = { from: now - lookBackMs, to: now, repository: undefined };
  const { deployed } = await readEnded(tx, integrationId, sources, query);
  const ranges = deployed.flatMap((each) => rangeOf(each) ?? []).slice(-maxAsked);
  await requestRanges(
    tx,
    integrationId,
    ranges.map((range) => ({ ...range, runId: null })),
  );
}
