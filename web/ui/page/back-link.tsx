import { Link } from '@tanstack/react-router';
import ArrowLeft from 'lucide-react/icons/arrow-left';

/** Back to the list that opened the page. A click that asks for a new tab opens the list there. */
export function BackLink({
  integrationId,
  to,
  name,
  onClose,
}: {
  integrationId: string;
  to: `/integrations/$integrationId/${'runs' | 'pull-requests' | 'failures' | 'rules' | 'settings'}`;
  name: string;
  onClose: () => void;
}) {
  return (
    <Link
      to={to}
      params={{ integrationId }}
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
