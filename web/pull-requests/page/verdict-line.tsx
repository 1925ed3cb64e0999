import type { ReactNode } from 'react';
import { verdictText, type CheckVerdict, type VerdictKind } from '#contract/failures/check-verdict.ts';
import { FailurePill } from '../../failures/assessment-line.tsx';
import { RunLink } from '../../runs/run-link.tsx';
import { clip } from '../../ui/text/clip.ts';
import { linkLook } from '../../ui/text/text-link.tsx';
import { PullRequestLink } from '../pull-request-link.tsx';

const tones: Record<VerdictKind, 'waiting' | 'running' | 'known' | 'failed'> = {
  infrastructure: 'waiting',
  flaky: 'running',
  elsewhere: 'known',
  new_here: 'failed',
  not_known: 'known',
};

/** What a failed check means, with links to what says so. */
export function VerdictLine({ verdict, repository }: { verdict: CheckVerdict; repository: string }) {
  const { kind, base, others, pullRequests } = verdict;
  const links: ReactNode[] = pullRequests.map(({ number }) => (
    <PullRequestLink key={number} repository={repository} number={number}>
      #{number}
    </PullRequestLink>
  ));
  if (base !== null)
    links.unshift(
      <RunLink key="base" runId={base.runId} className={linkLook}>
        Run on <bdi>{clip(base.branch ?? 'the base branch', 60)}</bdi>
      </RunLink>,
    );
  const more = others - pullRequests.length;
  return (
    <>
      <FailurePill tone={tones[kind]}>{verdictText(verdict)}</FailurePill>
      {links.length > 0 && (
        <span className="inline-flex flex-wrap gap-x-2 text-xs">
          {links}
          {more > 0 && <span className="text-muted">and {more} more</span>}
        </span>
      )}
    </>
  );
}
