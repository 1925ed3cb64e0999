import { ActivityTabs } from '../../event-log/activity-tabs.tsx';
import { PageBody } from '../../ui/page/page-body.tsx';
import { PageHeader, PageTitle } from '../../ui/page/page-header.tsx';
import { DeadLetterList } from './dead-letter-list.tsx';

/** Dead letters with their reasons and actions, or the one that a delivery became. */
export function DeadLettersPage({
  integrationId,
  messageId,
}: {
  integrationId: string;
  messageId: string | undefined;
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
