import { Section } from '../ui/page/page-body.tsx';
import { TextLink } from '../ui/text/text-link.tsx';

/** For admins. */
export function BackgroundWorkSection({ integrationId }: { integrationId: string }) {
  return (
    <Section
      title="Background work"
      note="Tasks at the forge and webhooks that are sent. The page shows what waits or fails, and retries it."
    >
      <TextLink
        to="/integrations/$integrationId/settings/background-work"
        params={{ integrationId }}
        search={{}}
      >
        View background work
      </TextLink>
    </Section>
  );
}
