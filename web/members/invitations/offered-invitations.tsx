import { useQuery } from '@tanstack/react-query';
import type { AcceptedInvitation, OfferedInvitation } from '#contract/members/invitations.ts';
import { sendJson } from '../../api/client.ts';
import { listQuery } from '../../api/path-queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormError } from '../../ui/form/form.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Section } from '../../ui/page/page-body.tsx';
import { ExpiryDay } from './expiry-day.tsx';
import { offersPath, useAccept } from './use-accept.ts';

/** Invitations for the address of the signed-in person. */
export function OfferedInvitations({ isShownEmpty = false }: { isShownEmpty?: boolean }) {
  const reading = useQuery(listQuery<OfferedInvitation>(offersPath));
  const { mutate, isPending, error } = useAccept((invitationId: string) =>
    sendJson<AcceptedInvitation>('POST', `${offersPath}/${invitationId}/accept`),
  );
  if (!isShownEmpty && !reading.data?.length && error === null) return null;
  return (
    <Section title="Invitations" note="Sent to your address. You can also use the link in the mail.">
      <Loaded reading={reading} what="invitations" skeletonRows={1}>
        {(offers) =>
          offers.length === 0 ? (
            <p className="text-muted">No open invitations.</p>
          ) : (
            <ul>
              {offers.map((offer) => (
                <Offer key={offer.invitationId} offer={offer} isPending={isPending} onAccept={mutate} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {error !== null && <FormError error={error} />}
    </Section>
  );
}

function Offer({
  offer: { invitationId, label, role, inviterName, expiresAt },
  isPending,
  onAccept,
}: {
  offer: OfferedInvitation;
  isPending: boolean;
  onAccept: (invitationId: string) => void;
}) {
  return (
    <li className="flex items-center justify-between gap-4 border-t border-line py-2 first:border-t-0">
      <div className="min-w-0">
        <bdi className="block truncate font-medium">{label}</bdi>
        <span className="text-muted">
          as {role}, invited by <bdi>{inviterName ?? 'a member'}</bdi>, open until{' '}
          <ExpiryDay time={expiresAt} />
        </span>
      </div>
      <Button
        variant="primary"
        aria-label={`Accept invitation to ${label}`}
        disabled={isPending}
        onClick={() => onAccept(invitationId)}
      >
        Accept
      </Button>
    </li>
  );
}
