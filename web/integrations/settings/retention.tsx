import { useConfig } from '../../api/config.ts';
import { Section } from '../../ui/page/page-body.tsx';

/** How long what arrives is kept. It is the same for all integrations, so nobody changes it here. */
export function Retention() {
  const retention = useConfig()?.retention;
  if (retention === undefined) return null;
  return (
    <Section
      title="How long data is kept"
      note="The same for all integrations here. Whoever runs Forgewatch changes it with the named settings."
    >
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        <Kept what="Runs and jobs" days={retention.runDays} setting="RUN_RETENTION_DAYS" />
        <Kept what="Deliveries with their bodies" days={retention.deliveryDays} setting="RETENTION_DAYS" />
        <Kept what="Dead letters" days={retention.deadLetterDays} />
      </dl>
      {retention.runDays !== null && (
        <p className="mt-2 text-muted">
          The numbers of the overview and of the metrics stay when their runs are forgotten.
        </p>
      )}
    </Section>
  );
}

function Kept({ what, days, setting }: { what: string; days: number | null; setting?: string }) {
  return (
    <>
      <dt className="text-muted">{what}</dt>
      <dd>
        {days === null ? 'Kept for good' : `${days} days`}
        {setting !== undefined && <code className="ml-3 font-mono text-xs text-muted">{setting}</code>}
      </dd>
    </>
  );
}
