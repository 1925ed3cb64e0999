import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Integration } from '#contract/integrations/integrations.ts';
import { sendJson, type Method } from '../api/client.ts';
import { dropIntegration } from '../integrations/integrations-query.ts';
import { roleReason } from '../integrations/use-integration.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { lazyPart } from '../ui/page/lazy-part.tsx';
import { Section } from '../ui/page/page-body.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { departureKey } from './departure-key.ts';

const TransferDialog = lazyPart('transfer-dialog', 'TransferDialog', () => import('./transfer-dialog.tsx'));

type Open = 'transfer' | 'leave' | 'delete';

/** Transfer, leave and delete. */
export function DangerZone({ integration }: { integration: Integration }) {
  const { integrationId, label, role } = integration;
  const [open, setOpen] = useState<Open>();
  const depart = useDeparture(integrationId);
  const ownerReason = roleReason(role, 'owner');
  const close = (): void => setOpen(undefined);
  const base = `/api/integrations/${integrationId}`;
  return (
    <Section title="Danger zone">
      <Row
        title="Transfer ownership"
        text="Another member becomes the owner. You become an admin."
        reason={ownerReason}
        action="Transfer…"
        onAction={() => setOpen('transfer')}
      />
      <Row
        title="Leave"
        text="You lose access; an admin can invite you again."
        reason={role === 'owner' ? 'The owner cannot leave. Transfer ownership first' : undefined}
        action="Leave…"
        onAction={() => setOpen('leave')}
      />
      <Row
        title="Delete integration"
        text="Its runs, metrics, rules and members are deleted for everyone. Further deliveries are refused."
        reason={ownerReason}
        action="Delete…"
        onAction={() => setOpen('delete')}
      />
      {open === 'transfer' && <TransferDialog integration={integration} onClose={close} />}
      {open === 'leave' && (
        <ConfirmDialog
          title="Leave this integration?"
          action="Leave"
          onConfirm={() => depart({ method: 'POST', path: `${base}/leave`, done: `You left ${label}` })}
          onClose={close}
        >
          <p>
            You lose access immediately. A linked organization does not add you again. Your notification rules
            are kept.
          </p>
        </ConfirmDialog>
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title="Delete this integration?"
          action="Delete for everyone"
          name={label}
          onConfirm={() => depart({ method: 'DELETE', path: base, done: `${label} was deleted` })}
          onClose={close}
        >
          <p>All its data is deleted for all members. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** Ends the person's own access. The pages of the integration are left automatically. */
function useDeparture(integrationId: string) {
  const client = useQueryClient();
  const { mutateAsync } = useMutation({
    mutationKey: departureKey(integrationId),
    mutationFn: async ({ method, path, done }: { method: Method; path: string; done: string }) => {
      await sendJson(method, path);
      toast(done);
      await dropIntegration(client, integrationId);
    },
  });
  return mutateAsync;
}

function Row({
  title,
  text,
  reason,
  action,
  onAction,
}: {
  title: string;
  text: ReactNode;
  reason: string | undefined;
  action: string;
  onAction: () => void;
}) {
  return (
    <div className="flex items-center justify-between gap-4 border-t border-line py-3">
      <div className="min-w-0">
        <h3 className="font-medium">{title}</h3>
        <p className="text-muted">{text}</p>
        {reason && <p className="text-muted">{reason}.</p>}
      </div>
      <Button variant="danger" reason={reason} onClick={onAction}>
        {action}
      </Button>
    </div>
  );
}
