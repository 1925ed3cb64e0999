import { Link } from '@tanstack/react-router';
import { Avatar } from '../ui/avatar.tsx';
import { clip } from '../ui/text/clip.ts';
import { useUser } from './use-user.ts';

/** The signed-in person, as a link to the account page. */
export function AccountLink({ onChosen }: { onChosen?: () => void }) {
  const { data: user } = useUser();
  const name = clip(user?.name ?? user?.forgeLogin ?? user?.email ?? 'Account', 60);
  return (
    <Link
      to="/account"
      className="flex h-8 min-w-0 items-center gap-2.5 rounded-md px-1.5 text-muted hover:bg-hover pointer-coarse:h-10"
      {...(onChosen === undefined ? {} : { onClick: onChosen })}
    >
      <Avatar name={name} picture={user?.picture ?? null} />
      <span className="sr-only">Account of</span>
      <bdi className="min-w-0 truncate">{name}</bdi>
    </Link>
  );
}
