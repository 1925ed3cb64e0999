import type { OfferedInvitation } from '#contract/members/invitations.ts';
import { ExpiryDay } from './expiry-day.tsx';
import { roleTexts } from '../member-rules.ts';
import { Fact } from '../../ui/text/fact.tsx';

/** Who invites to what, and what the person may do there. */
export function InvitationSummary({
  invitation: { label, role, inviterName, expiresAt },
  who,
}: {
  invitation: OfferedInvitation;
  /** The signed-in person. */
  who: string;
}) {
  return (
    <>
      <p className="text-base">
        <bdi className="font-medium">{inviterName ?? 'A member'}</bdi> invites you to{' '}
        <strong className="font-semibold wrap-anywhere">
          <bdi>{label}</bdi>
        </strong>
        .
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
        <Fact name="Your role">
          <span className="capitalize">{role}</span>
          <span className="block text-muted">{roleTexts[role]}</span>
        </Fact>
        <Fact name="Signed in as">
          <bdi className="wrap-anywhere">{who}</bdi>
        </Fact>
        <Fact name="Open until">
          <ExpiryDay time={expiresAt} />
        </Fact>
      </dl>
    </>
  );
}
