import { useConfig } from '../../api/config.ts';
import { Section } from '../../ui/page/page-body.tsx';
import { Fact } from '../../ui/text/fact.tsx';

/** Retention periods. They apply to all integrations, so they cannot be changed here. */
export function Retention() {
  const retention = useConfig()?.retention;
  if (retention === undefined) return null;
  return (
    <Section
      title="Data retention"
      note="Applies to all integrations. The operator changes it with these settings."
    >
      <dl className="grid gap-x-6 gap-y-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        <Kept what="Runs and pull requests" days={retention.runDays} setting="RUN_RETENTION_DAYS" />
        <Kept what="Deliveries with their bodies" days={retention.deliveryDays} setting="RETENTION_DAYS" />
        <Kept what="Dead letters" days={retention.deadLetterDays} />
      </dl>
      {retention.runDays !== null && (
        <p className="mt-2 text-muted">Overview and metrics keep their numbers after the runs are deleted.</p>
      )}
    </Section>
  );
}

function Kept({ what, days, setting }: { what: string; days: number | null; setting?: string }) {
  return (
    <Fact name={what}>
      {days === null ? 'Kept forever' : `${days} days`}
      {setting !== undefined && <code className="ml-3 font-mono text-xs text-muted">{setting}</code>}
    </Fact>
  );
}
