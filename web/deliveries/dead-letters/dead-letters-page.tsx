import { ActivityTabs } from '../../event-log/activity-tabs.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { DeadLetterList } from './dead-letter-list.tsx';
import type { DeadLetterSearch } from './dead-letter-search.ts';

/** Dead letters with their reasons and actions, or the one that a delivery became. */
export function DeadLettersPage({
  integrationId,
  search: { messageId },
}: {
  integrationId: string;
  search: DeadLetterSearch;
}) {
  return (
    <>
      <PageHeader title={<PageTitle>Dead letters</PageTitle>} end={null} />
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        <DeadLetterList key={messageId} integrationId={integrationId} messageId={messageId} />
      </PageBody>
    </>
  );
}
