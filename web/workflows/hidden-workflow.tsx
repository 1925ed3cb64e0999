import type { HiddenWorkflow } from '#contract/runs/hidden-workflows.ts';
import { useRoleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { PageError } from '../ui/form/form.tsx';
import { clip } from '../ui/text/clip.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { useHiding } from './hiding.ts';

export function HiddenSince({ hidden: { hiddenAt, hiddenBy } }: { hidden: HiddenWorkflow }) {
  return (
    <span className="text-muted">
      Hidden <TimeAgo time={hiddenAt} isFocusable />
      {hiddenBy !== null && (
        <>
          {' '}
          by <bdi>{clip(hiddenBy.name ?? 'somebody', 80)}</bdi>
        </>
      )}
    </span>
  );
}

export function ShowAgain({ integrationId, hidden }: { integrationId: string; hidden: HiddenWorkflow }) {
  const reason = useRoleReason(integrationId, 'admin');
  const { show } = useHiding(integrationId);
  return (
    <>
      <PageError error={show.error} />
      <Button reason={reason} disabled={show.isPending} onClick={() => show.mutate(hidden)}>
        Show again<span className="sr-only"> {hidden.workflow}</span>
      </Button>
    </>
  );
}
