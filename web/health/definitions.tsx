import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { maxCheckedPulls, redExpiresAfterDays } from '#contract/metrics/health.ts';
import { fewestForRate, maxRangesRead } from '#contract/metrics/deployments.ts';
import { fewestForP90 } from '#contract/metrics/percentiles.ts';
import { PagePart } from '../ui/page/page-part.tsx';

/** What each figure of the page counts, by its key. */
const definitions = {
  red: [
    'Time red',
    `From the end of the first failed run of a workflow to the end of its next success on the branch. The newest run decides, however long an older one takes. A branch is red while one of its workflows is red; several at once count once. Cancelled and skipped runs change nothing. What is red counts until now, or until its workflow has had no result for ${redExpiresAfterDays} days. Several branches add up.`,
  ],
  commit: [
    'Fixed by a commit',
    'Another commit than the one that had failed passed, and does not say that it reverts one.',
  ],
  rerun: [
    'Fixed by a re-run',
    'The commit that had failed passed in a later attempt or run, without a change: the failure was flaky or came from outside.',
  ],
  revert: [
    'Fixed by a revert',
    'The message of the commit that passed says that it reverts another one, as Git and the forges write it.',
  ],
  recovery: [
    'Recovery',
    `How long the periods were red that a run ended in these days, from their beginning. The 90th percentile needs ${fewestForP90} of them.`,
  ],
  merges: [
    'Merged while red',
    'Pull requests that were merged into the branch while it was red, of all that were merged while its state was known. A merge may have been the fix.',
  ],
  merge: [
    'Opened to merge',
    'Of pull requests that were merged into the branch in these days, by the clock: nights, weekends and the time as a draft count.',
  ],
  review: [
    'Opened to first review',
    'To the first review or review comment by another person, up to the merge. Reviews by programs ([bot]) and reviews without a time, as Gitea sends them, do not count.',
  ],
  approval: ['Approval to merge', 'From the last approval by another person to the merge.'],
  green: [
    'Checks passed to merge',
    `From when the checks of the last commit had passed to the merge: all that the branch requires at present, or all runs if none is known to be required. Waiting in a merge queue counts. Pull requests are left out whose checks had not passed. Only of the newest ${maxCheckedPulls}.`,
  ],
  rounds: [
    'Changed after a review',
    'Pull requests for which another person requested changes to a commit that was not the last one, of those that were reviewed. Each such commit is a round. A request that was dismissed does not count.',
  ],
  checks: [
    'Share of checks',
    `The share of the time from opening to merge during which at least one run of the pull request waited or ran. Only of the newest ${maxCheckedPulls}.`,
  ],
  deployed: [
    'Deployments',
    `Successful deployments to the environments and workflows that an admin declares as production in the settings: one for each commit, until another commit follows. At least ${fewestForRate} have a rate. With a branch chosen, only those of this branch.`,
  ],
  leadTime: [
    'Merge to deployment',
    `The median time from the merge of each pull request to the first deployment to each place that contains the commit of the merge. The commits between two deployments are read from the forge, of the newest ${maxRangesRead} deployments. Where they cannot be read, the row says why.`,
  ],
  failedDeployments: [
    'Failed deployments',
    'Deployments after which an older commit was deployed again, or the next deployment reverts one of their commits or pull requests or contains a pull request whose branch or label is called hotfix. Members may judge otherwise in the row: this goes before the rules.',
  ],
  deploymentRecovery: [
    'Recovery of production',
    'The median time from a failed deployment of these days to the next one to the same place that did not fail.',
  ],
  notDeployed: [
    'Failed to deploy',
    'Deployments that ended with failure or error, and failed attempts of a declared workflow or job. They changed nothing in production, so they are no failed deployments.',
  ],
  minutes: [
    'Runner minutes',
    'Of all completed jobs of all branches, also on runners of your own, each rounded up to whole minutes. What was lost in two ways counts once, in the order of the figures.',
  ],
  cost: [
    'Cost',
    'Runner minutes times the price that their runner labels had on the day (UTC) on which the job completed. Minutes without a price cost nothing here: the figure says how many minutes it covers. Lost minutes are priced in the same way. Prices are those of the settings, not those of a bill.',
  ],
  lostRerun: ['Lost to re-runs', 'Minutes of jobs in a later attempt than the first.'],
  lostSuperseded: [
    'Lost to superseded runs',
    'Minutes of runs that a newer run of their workflow and branch took the place of, before they had a result.',
  ],
  lostAfterFailure: [
    'Lost after a failure',
    'Minutes that jobs of a first attempt took after the first of its jobs had failed: what would be saved if a failure ended them.',
  ],
} as const;

export type Defined = keyof typeof definitions;

/** The name of a figure as a link to its definition. */
export function DefinitionLink({ of, children }: { of: Defined; children: ReactNode }) {
  return (
    <Link
      from="/integrations/$integrationId/health"
      to="."
      search
      hash={`definition-${of}`}
      replace
      className="decoration-dotted underline decoration-line-strong underline-offset-3 hover:decoration-current"
    >
      {children}
    </Link>
  );
}

export function Definitions() {
  const hash = useLocation({ select: (location) => location.hash });
  return (
    <PagePart title="How these are counted">
      <dl className="max-w-3xl px-4 pb-8">
        {Object.entries(definitions).map(([key, [name, text]]) => (
          <div
            key={key}
            id={`definition-${key}`}
            data-open={hash === `definition-${key}` || undefined}
            className="py-1.5 data-open:bg-hover"
          >
            <dt className="font-medium">{name}</dt>
            <dd className="text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </PagePart>
  );
}
