import { Suspense } from 'react';
import { lazyPart } from '../../ui/page/lazy-part.tsx';

/** Only new integrations need it. */
const WaitingForEvents = lazyPart(
  'waiting-for-events',
  'WaitingForEvents',
  () => import('./waiting-for-events.tsx'),
);

/** Replaces the content of a page until the integration has its first event. */
export function UntilFirstEvent({ integrationId }: { integrationId: string }) {
  return (
    <Suspense>
      <WaitingForEvents integrationId={integrationId} />
    </Suspense>
  );
}
