import { Link } from '@tanstack/react-router';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import { Message } from './message.tsx';
import { TextLink } from '../text/text-link.tsx';

/** The pages whose items have pages of their own. */
const names = {
  runs: 'workflow runs',
  'pull-requests': 'pull requests',
  failures: 'failures',
  tests: 'tests',
  rules: 'notification rules',
  settings: 'settings',
} as const;

interface ListProps {
  integrationId: string;
  list: keyof typeof names;
}

/** Back to the list that opened the page. A click that asks for a new tab opens the list there. */
export function BackLink({ integrationId, list, onClose }: ListProps & { onClose: () => void }) {
  return (
    <Link
      to={`/integrations/$integrationId/${list}`}
      params={{ integrationId }}
      aria-label={`Back to ${names[list]}`}
      title={`Back to ${names[list]} (Esc)`}
      className="-ml-1 flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text pointer-coarse:size-9 print:hidden"
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onClose();
      }}
    >
      <ArrowLeft size={17} aria-hidden />
    </Link>
  );
}

/** Replaces the content of a page whose address names no item. */
export function UnknownItem({
  integrationId,
  list,
  what,
  reason = 'It was deleted, or belongs to another integration.',
}: ListProps & { what: string; reason?: string }) {
  return (
    <Message title={`${what} not found`}>
      <p className="text-muted">{reason}</p>
      <TextLink to={`/integrations/$integrationId/${list}`} params={{ integrationId }}>
        View {names[list]}
      </TextLink>
    </Message>
  );
}
