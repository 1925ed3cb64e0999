import ChevronRight from 'lucide-react/icons/chevron-right';
import type { Check, Commit } from '#contract/runs/pull-requests.ts';
import { isFailed } from '#contract/runs/conclusions.ts';
import { repositoryUrl } from '#contract/base/forge-urls.ts';
import { ShaLink } from '../../runs/sha-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { CheckStateMark } from '../check-state.tsx';
import { CheckRun } from './check-run.tsx';

/** The checks of the newest commit. */
export function NewestCommit({ commit }: { commit: Commit }) {
  return (
    <section aria-labelledby="checks-title">
      <h2 id="checks-title" className="mb-2 font-semibold">
        Checks of <Sha commit={commit} />{' '}
        {commit.title !== null && <bdi className="font-normal text-muted">{clip(commit.title)}</bdi>}
      </h2>
      <Checks checks={commit.checks.toSorted(byWeight)} />
    </section>
  );
}

/** Runs that tested the pull request together with those before it in the queue. */
export function MergeQueue({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <section aria-labelledby="queue-title">
      <h2 id="queue-title" className="mb-2 font-semibold">
        Merge queue
      </h2>
      <Checks checks={checks} />
    </section>
  );
}

/** The checks of earlier commits, newest first. Each opens on demand. */
export function EarlierCommits({ commits }: { commits: readonly Commit[] }) {
  if (commits.length === 0) return null;
  return (
    <section aria-labelledby="earlier-title">
      <h2 id="earlier-title" className="mb-2 font-semibold">
        Earlier commits
      </h2>
      <ul className="flex flex-col gap-2">
        {commits.map((commit) => (
          <li key={commit.sha}>
            <details className="group rounded-lg border border-line">
              <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-3 py-2 hover:bg-hover">
                <ChevronRight size={15} aria-hidden className="shrink-0 text-muted group-open:rotate-90" />
                <Sha commit={commit} />
                <span className="min-w-0 grow basis-40 truncate text-muted">
                  <bdi>{clip(commit.title ?? '')}</bdi>
                </span>
                <CheckStateMark checks={commit.summary} />
              </summary>
              <div className="p-3 pt-1">
                <Checks checks={commit.checks} />
              </div>
            </details>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Checks({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0)
    return (
      <p className="text-muted">
        No workflow has run for this commit. Its checks appear here when one starts.
      </p>
    );
  return (
    <ul className="flex flex-col gap-3">
      {checks.map((check) => (
        <CheckRun key={check.run.runId} check={check} />
      ))}
    </ul>
  );
}

/** Failed runs first, among them and among the others those with a required check. */
const byWeight = (one: Check, other: Check): number => weightOf(other) - weightOf(one);

const weightOf = ({ run, jobs }: Check): number =>
  2 * Number(isFailed(run.conclusion)) +
  Number(
    jobs.some(
      ({ isRequired, conclusion }) => isRequired && (isFailed(conclusion) || !isFailed(run.conclusion)),
    ),
  );

function Sha({ commit: { sha, checks } }: { commit: Commit }) {
  if (sha === '') return <span>unknown commit</span>;
  return <ShaLink sha={sha} repositoryUrl={repositoryUrl(checks[0]?.run.url ?? null)} />;
}
