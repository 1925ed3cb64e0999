import { ActivityTabs } from '../../event-log/activity-tabs.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { DeadLetterList } from './dead-letter-list.tsx';

/** Dead letters with their reasons and actions. */
export function DeadLettersPage({ integrationId }: { integrationId: string }) {
  return (
    <>
      <PageHeader title={<PageTitle>Dead letters</PageTitle>} end={null} />
      <ActivityTabs integrationId={integrationId} />
      <PageBody>
        <DeadLetterList integrationId={integrationId} />
      </PageBody>
    </>
  );
}
