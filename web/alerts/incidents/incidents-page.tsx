import { ConnectionMark } from '../../ui/connection-mark.tsx';
import { ChoiceRow } from '../../ui/form/choice-row.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { clip } from '../../ui/text/clip.ts';
import { TextLink } from '../../ui/text/text-link.tsx';
import { IncidentList } from './incident-list.tsx';
import type { IncidentSearch } from './incident-search.ts';

const choices = [
  { value: 'open', label: 'Open' },
  { value: 'all', label: 'All' },
] as const;

/** Incidents of an integration, or of one workflow. */
export function IncidentsPage({
  integrationId,
  search,
  onChange,
}: {
  integrationId: string;
  search: IncidentSearch;
  onChange: (change: Partial<IncidentSearch>) => void;
}) {
  const { repository, workflow, status } = search;
  return (
    <>
      <PageHeader title={<PageTitle>Incidents</PageTitle>} end={<ConnectionMark />}>
        <ChoiceRow
          label="Status"
          value={status ?? 'all'}
          choices={choices}
          onChoose={(value) => onChange({ status: value === 'all' ? undefined : value })}
        />
      </PageHeader>
      <PageBody>
        {repository !== undefined && (
          <p className="flex flex-wrap gap-x-3 px-4 py-2 text-muted">
            <span>
              Of {workflow !== undefined && <bdi>{clip(workflow, 100)} in </bdi>}
              <bdi>{clip(repository, 100)}</bdi>
            </span>
            <TextLink
              to="/integrations/$integrationId/incidents"
              params={{ integrationId }}
              search={{ status }}
            >
              All workflows
            </TextLink>
          </p>
        )}
        <IncidentList integrationId={integrationId} search={search} />
      </PageBody>
    </>
  );
}
