import type { ReactNode } from 'react';
import type { IntegrationToken, PersonalToken } from '#contract/members/api-tokens.ts';
import { RemovableList } from '../ui/removable-list.tsx';
import { useRemove } from '../ui/use-remove.ts';
import { useNowText } from '../ui/time/now.ts';
import { exactTime } from '../ui/time/exact-time.ts';
import { TimeAgo } from '../ui/time/time.tsx';

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
  const remove = useRemove(path);
  if (tokens.length === 0) return <p className="text-muted">No API tokens.</p>;
  return (
    <RemovableList
      label="API tokens"
      items={tokens}
      keyOf={({ tokenId }) => tokenId}
      nameOf={({ name }) => name}
      renderDetails={(token) => (
        <>
          <p className="text-muted">{renderRights(token)}</p>
          <p className="text-muted">
            <Expiry token={token} />, <LastUse token={token} />
          </p>
        </>
      )}
      action="Revoke"
      warn={() => 'Programs that use this token are refused immediately.'}
      onRemove={({ tokenId }) => remove('API token revoked', tokenId)}
    />
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
