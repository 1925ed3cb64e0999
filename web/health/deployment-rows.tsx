import type { ReactNode } from 'react';
import type { ContentState, DeployedPull, Deployment, Deployments } from '#contract/metrics/deployments.ts';
import { DeploymentVerdict } from '../deployments/deployment-verdict.tsx';
import { numberColumn } from '../metrics/number-columns.tsx';
import { PullRequestLink } from '../pull-requests/pull-request-link.tsx';
import { RunLink } from '../runs/run-link.tsx';
import { ShaLink } from '../runs/sha-link.tsx';
import { formatCount } from '../ui/locale.ts';
import { FilterMenu } from '../ui/menu/filter-menu.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { timeOf } from '../ui/table/sort-rows.ts';
import { actionsColumn, Table, type Column } from '../ui/table/table.tsx';
import { clip } from '../ui/text/clip.ts';
import { safeUrl } from '../ui/text/safe-url.ts';
import { OutsideLink } from '../ui/text/text-link.tsx';
import { formatDuration } from '../ui/time/format-duration.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { mergedColumn, pullColumn, TableEnd } from './branch-parts.tsx';
import { belongs } from './deployment-parts.tsx';
import { shownDeployments, type ShownDeployments } from './health-search.ts';

const names: Record<ShownDeployments, string> = {
  deployed: 'Deployed',
  failed: 'Failed deployments',
  recovered: 'Failed and recovered',
  unknown: 'Pull requests not known',
  notDeployed: 'Failed to deploy',
};

export function DeploymentRows({
  integrationId,
  deployments: { items, count },
  shown,
  onShow,
}: {
  integrationId: string;
  deployments: Deployments;
  shown: ShownDeployments | undefined;
  onShow: (shown: ShownDeployments | undefined) => void;
}) {
  const rows = shown === undefined ? items : items.filter(belongs[shown]);
  const verdict: Column<Deployment> = {
    ...actionsColumn,
    renderCell: (deployment) =>
      deployment.isDeployed && <DeploymentVerdict integrationId={integrationId} deployment={deployment} />,
  };
  return (
    <PagePart
      id="deployments"
      title="Deployments to production"
      isEmpty={rows.length === 0}
      end={
        items.length > 0 && (
          <FilterMenu
            name="Show"
            none="All"
            value={shown}
            groups={[shownDeployments.map((value) => ({ value, label: names[value] }))]}
            onChoose={(chosen) => onShow(shownDeployments.find((each) => each === chosen))}
          />
        )
      }
    >
      <Table
        label="Deployments to production"
        columns={[...columns, verdict]}
        isCut={items.length < count}
        rows={rows}
        rowKey={({ key, workflow, job }) => `${key} ${workflow} ${job}`}
        isTall
      />
      <TableEnd shown={items.length} of={count} />
    </PagePart>
  );
}

const placeOf = ({
  environment,
  workflow,
  job,
}: Pick<Deployment, 'environment' | 'workflow' | 'job'>): string =>
  environment ?? (job === null ? `${workflow}` : `${workflow} · ${job}`);

/** What is known of the pull requests, or why nothing is. */
const contentTexts: Record<Exclude<ContentState, 'read'>, string> = {
  repeated: 'Deployed before',
  first: 'Not known: the first deployment',
  reading: 'Not known yet: the commits are being read',
  no_connection: 'Not known: no connection to the forge',
  unreadable: 'Not known: the forge did not return the commits',
  too_many: 'Not known: too many commits',
};

function outcomeOf({ repository, isDeployed, isRollback, failure, mark }: Deployment): ReactNode {
  if (!isDeployed) return 'Failed to deploy';
  const deployed = isRollback ? 'Rolled back to this commit' : 'Deployed';
  if (failure === null)
    return mark === null ? deployed : `${deployed}. Did not fail, says ${mark.by?.name ?? 'somebody'}`;
  const pull =
    failure.pullRequest === null ? (
      'the next deployment'
    ) : (
      <PullRequestLink repository={repository} number={failure.pullRequest}>
        #{failure.pullRequest}
      </PullRequestLink>
    );
  return (
    <>
      <span className="font-medium text-failed">Failed</span>:{' '}
      {failure.rule === 'rollback' && 'an older commit took its place'}
      {failure.rule === 'revert' && <>reverted by {pull}</>}
      {failure.rule === 'hotfix' && <>hotfix {pull}</>}
      {failure.rule === 'person' && `says ${mark?.by?.name ?? 'somebody'}`}
    </>
  );
}

function WhenLink({ deployment: { at, runId, attempt, url } }: { deployment: Deployment }) {
  const outside = safeUrl(url);
  if (runId !== null)
    return (
      <RunLink runId={runId} search={attempt === null ? {} : { attempt }}>
        <TimeAgo time={at} />
      </RunLink>
    );
  if (outside === undefined) return <TimeAgo time={at} />;
  return (
    <OutsideLink href={outside} about="The deployment at the forge">
      <TimeAgo time={at} />
    </OutsideLink>
  );
}

const columns: readonly Column<Deployment>[] = [
  {
    key: 'deployment',
    header: 'Deployment',
    sortBy: ({ repository }) => repository,
    className: 'columns:w-1/2 wrap-anywhere',
    renderCell: (deployment) => (
      <>
        <bdi className="font-medium">{clip(placeOf(deployment), 100)}</bdi>{' '}
        <ShaLink sha={deployment.sha} repositoryUrl={deployment.repositoryUrl} />
        <bdi dir="ltr" className="block text-xs text-muted">
          {clip(deployment.repository)}
          {deployment.ref !== null && ` · ${clip(deployment.ref, 60)}`}
          {deployment.creator !== null && ` · ${clip(deployment.creator, 60)}`}
        </bdi>
      </>
    ),
  },
  {
    key: 'outcome',
    header: 'Outcome',
    className: 'columns:w-1/2 wrap-anywhere',
    sortBy: ({ isDeployed, failure }) => (isDeployed ? (failure === null ? 2 : 1) : 0),
    renderCell: outcomeOf,
  },
  numberColumn(
    'recovery',
    'Recovery',
    ({ recoveryMs }) =>
      recoveryMs !== null && (
        <span className="whitespace-nowrap">
          <span className="columns:hidden">Recovered after </span>
          {formatDuration(recoveryMs)}
        </span>
      ),
    ({ recoveryMs }) => recoveryMs,
  ),
  {
    key: 'pulls',
    header: 'Pull requests',
    className: 'text-muted columns:min-w-52 break-words',
    sortBy: ({ pullRequests }) => pullRequests,
    renderCell: ({ isDeployed, contents, pullRequests }) =>
      isDeployed &&
      (contents === 'read' ? formatCount(pullRequests ?? 0, 'pull request') : contentTexts[contents]),
  },
  {
    key: 'at',
    header: 'Deployed',
    sortBy: ({ at }) => timeOf(at),
    className: 'text-muted whitespace-nowrap',
    renderCell: (deployment) => <WhenLink deployment={deployment} />,
  },
];

export function DeployedPulls({ deployments: { pullRequests, leadTime } }: { deployments: Deployments }) {
  return (
    <PagePart id="deployed-pulls" title="Deployed pull requests" isEmpty={pullRequests.length === 0}>
      <Table
        label="Deployed pull requests"
        columns={pullColumns}
        isCut={pullRequests.length < leadTime.count}
        rows={pullRequests}
        rowKey={({ repository, number, deployment }) => `${repository} ${number} ${deployment}`}
      />
      <TableEnd shown={pullRequests.length} of={leadTime.count} />
    </PagePart>
  );
}

const pullColumns: readonly Column<DeployedPull>[] = [
  pullColumn,
  {
    key: 'place',
    header: 'Deployed to',
    className: 'text-muted wrap-anywhere',
    sortBy: ({ environment, workflow }) => environment ?? workflow,
    renderCell: ({ environment, workflow }) => <bdi>{clip(environment ?? workflow ?? '', 100)}</bdi>,
  },
  numberColumn(
    'lead',
    'Merge to deployment',
    ({ leadTimeMs }) => <span className="whitespace-nowrap">{formatDuration(leadTimeMs)}</span>,
    ({ leadTimeMs }) => leadTimeMs,
  ),
  mergedColumn,
];
