import { useQuery } from '@tanstack/react-query';
import type { Health } from '#contract/metrics/health.ts';
import { getJson } from '../api/client.ts';
import { queryString } from '../api/query-string.ts';
import { readEvery } from '../api/read-every.ts';
import { figureLinks } from '../metrics/figure-links.tsx';
import { MinutesTable } from '../metrics/metrics-tables.tsx';
import { PeriodFilter } from '../metrics/filter/period-filter.tsx';
import { periodText } from '../metrics/filter/period-text.ts';
import { NameFilter } from '../runs/filter/name-filter.tsx';
import { formatCount } from '../ui/locale.ts';
import { Loaded } from '../ui/page/loaded.tsx';
import { Message } from '../ui/page/message.tsx';
import { PageBody } from '../ui/page/page-body.tsx';
import { PagePart } from '../ui/page/page-part.tsx';
import { PageHeader, PageTitle } from '../ui/page/page-header.tsx';
import { clockTime } from '../ui/time/exact-time.ts';
import { BranchFigures, RedMerges, RedPeriods } from './branch-parts.tsx';
import { Definitions } from './definitions.tsx';
import { DeploymentFigures, NothingDeclared } from './deployment-parts.tsx';
import { DeployedPulls, DeploymentRows } from './deployment-rows.tsx';
import { FlowFigures, MergedPulls } from './flow-parts.tsx';
import { LostRuns, MinuteFigures } from './minutes-parts.tsx';
import { defaultDays, healthDays, healthQuery, type HealthSearch } from './health-search.ts';

const askEveryMs = 60_000;

/** How long the default branch was red, how it was fixed, and what was merged meanwhile. */
export function HealthPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: HealthSearch;
  onChange: (change: HealthSearch) => void;
}) {
  const path = `/api/integrations/${integrationId}/health`;
  const { days = defaultDays, from, to, repository, branch } = search;
  const reading = useQuery({
    queryKey: [path, { days, from, to, repository, branch }],
    queryFn: ({ signal }) => getJson<Health>(path + queryString(healthQuery(search, Date.now())), signal),
    refetchInterval: readEvery(askEveryMs),
    placeholderData: (previous) => previous,
  });
  return (
    <>
      <PageHeader title={<PageTitle>Health</PageTitle>} end={null}>
        <search className="contents">
          <PeriodFilter days={days} from={from} to={to} choices={healthDays} onChange={onChange} />
          <NameFilter
            integrationId={integrationId}
            facet="repository"
            name="Repository"
            value={repository}
            onChoose={(chosen) => onChange({ repository: chosen })}
          />
          <NameFilter
            integrationId={integrationId}
            facet="branch"
            name="Branch"
            none="Default branch"
            value={branch}
            onChoose={(chosen) => onChange({ branch: chosen })}
          />
        </search>
      </PageHeader>
      <PageBody>
        <Loaded reading={reading} what="health" skeletonRows={10}>
          {(health) => (
            <Content integrationId={integrationId} health={health} search={search} onChange={onChange} />
          )}
        </Loaded>
      </PageBody>
    </>
  );
}

interface ContentProps {
  integrationId: string;
  health: Health;
  search: HealthSearch;
  onChange: (change: HealthSearch) => void;
}

/** All figures first, then the rows that they count. */
function Content(props: ContentProps) {
  const { health, integrationId, search } = props;
  const { main, merges, flow, minutes, deployments } = health;
  const links = figureLinks(health, { repository: search.repository });
  const hasDeployments = deployments !== null && deployments.deployed !== null;
  return (
    <>
      <p className="border-b border-line px-4 py-3 text-muted">{coverOf(health)}</p>
      {main.redMs === null ? (
        <Message title="No results in this period">
          <p className="text-muted">
            No workflow passed or failed on {health.branch === null ? 'a default branch' : 'this branch'}.
            Choose a longer period or fewer filters.
          </p>
        </Message>
      ) : (
        <BranchFigures main={main} merges={merges} />
      )}
      {flow.merged > 0 && (
        <PagePart title="Pull requests">
          <FlowFigures flow={flow} />
        </PagePart>
      )}
      <PagePart title="Deployments">
        {deployments === null ? (
          <NothingDeclared integrationId={integrationId} />
        ) : (
          <DeploymentFigures deployments={deployments} />
        )}
      </PagePart>
      {minutes.total !== null && (
        <PagePart title="Minutes on all branches">
          <MinuteFigures minutes={minutes} links={links} />
        </PagePart>
      )}
      <Rows {...props} />
      {(main.redMs !== null || flow.merged > 0 || minutes.total !== null || hasDeployments) && (
        <Definitions />
      )}
    </>
  );
}

function Rows({ integrationId, health, search, onChange }: ContentProps) {
  const { main, merges, flow, minutes, deployments } = health;
  const { ended, pulls, lost, repository } = search;
  return (
    <>
      {main.redMs !== null && (
        <>
          <RedPeriods main={main} ended={ended} onShow={(chosen) => onChange({ ended: chosen })} />
          <RedMerges merges={merges} />
        </>
      )}
      {flow.merged > 0 && (
        <MergedPulls flow={flow} pulls={pulls} onShow={(chosen) => onChange({ pulls: chosen })} />
      )}
      {deployments !== null && deployments.deployed !== null && (
        <>
          <DeploymentRows
            integrationId={integrationId}
            deployments={deployments}
            shown={search.deployments}
            onShow={(chosen) => onChange({ deployments: chosen })}
          />
          <DeployedPulls deployments={deployments} />
        </>
      )}
      {minutes.total !== null && (
        <>
          <LostRuns minutes={minutes} lost={lost} onShow={(chosen) => onChange({ lost: chosen })} />
          <PagePart id="labels" title="Minutes by runner labels" isEmpty={minutes.labels.length === 0}>
            <MinutesTable labels={minutes.labels} links={figureLinks(health, { repository })} />
          </PagePart>
        </>
      )}
    </>
  );
}

/** What the figures cover, and what they leave out. */
function coverOf({ from, to, coveredFrom, main, branch }: Health): string {
  const { branches, hiddenWorkflows } = main;
  const parts = [
    periodText({ from, to }),
    branch === null
      ? formatCount(branches, 'default branch', 'default branches')
      : `branch ${branch} in ${formatCount(branches, 'repository', 'repositories')}`,
    ...(coveredFrom === null ? [] : [`runs are known since ${clockTime(Date.parse(coveredFrom))}`]),
    ...(hiddenWorkflows === 0 ? [] : [`without ${formatCount(hiddenWorkflows, 'hidden workflow')}`]),
  ];
  return `${parts.join(', ')}.`;
}
