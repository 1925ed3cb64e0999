import { useQueryClient } from '@tanstack/react-query';
import Trash2 from 'lucide-react/icons/trash-2';
import { useState, type ReactNode } from 'react';
import type { IntegrationToken, PersonalToken } from '#contract/members/api-tokens.ts';
import { sendJson } from '../api/client.ts';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx';
import { toast } from '../ui/dialog/toast.ts';
import { useNowText } from '../ui/time/now.ts';
import { exactTime } from '../ui/time/exact-time.ts';
import { TimeAgo } from '../ui/time/time.tsx';
import { tokensQuery } from './token-queries.ts';

type Token = PersonalToken | IntegrationToken;

/** API tokens with a button to revoke each. */
export function TokenList<T extends Token>({
  path,
  tokens,
  renderRights,
}: {
  path: string;
  tokens: readonly T[];
  /** What the token allows. */
  renderRights: (token: T) => ReactNode;
}) {
  const client = useQueryClient();
  const [revoking, setRevoking] = useState<T>();
  if (tokens.length === 0) return <p className="text-muted">No API tokens.</p>;
  return (
    <>
      <ul aria-label="API tokens">
        {tokens.map((token) => (
          <li
            key={token.tokenId}
            className="flex items-start justify-between gap-4 border-t border-line py-2 first:border-t-0"
          >
            <div className="min-w-0">
              <bdi className="font-medium break-words">{token.name}</bdi>
              <p className="text-muted">{renderRights(token)}</p>
              <p className="text-muted">
                <Expiry token={token} />, <LastUse token={token} />
              </p>
            </div>
            <IconButton label={`Revoke ${token.name}`} onClick={() => setRevoking(token)}>
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      {revoking && (
        <ConfirmDialog
          title={`Revoke ${revoking.name}?`}
          action="Revoke"
          onConfirm={async () => {
            await sendJson('DELETE', `${path}/${revoking.tokenId}`);
            toast('API token revoked');
            await client.invalidateQueries({ queryKey: tokensQuery(path).queryKey });
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>Programs that use this token are refused immediately.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Expiry({ token: { expiresAt } }: { token: Token }) {
  const isOver = useNowText((now) => (Date.parse(expiresAt) <= now ? 'over' : '')) === 'over';
  return (
    <span className={isOver ? 'text-failed' : undefined}>
      {isOver ? 'Expired' : 'Expires'} <time dateTime={expiresAt}>{exactTime(expiresAt)}</time>
    </span>
  );
}

function LastUse({ token: { lastUsedAt, lastUsedAddress } }: { token: Token }) {
  if (lastUsedAt === null) return 'never used';
  return (
    <>
      last used <TimeAgo time={lastUsedAt} isFocusable />
      {lastUsedAddress !== null && (
        <>
          {' '}
          from <bdi>{lastUsedAddress}</bdi>
        </>
      )}
    </>
  );
}
