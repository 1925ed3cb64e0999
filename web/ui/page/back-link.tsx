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

/** Back to the list that opened the page, or to one run. A click that asks for a new tab opens it there. */
export function BackLink({
  integrationId,
  list,
  runId,
  onClose,
}: ListProps & { runId?: string; onClose: () => void }) {
  const name = runId === undefined ? names[list] : 'the run';
  return (
    <Link
      {...(runId === undefined
        ? { to: `/integrations/$integrationId/${list}`, params: { integrationId } }
        : { to: '/integrations/$integrationId/runs/$runId', params: { integrationId, runId } })}
      aria-label={`Back to ${name}`}
      title={`Back to ${name} (Esc)`}
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
