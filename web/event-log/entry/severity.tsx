import CircleAlert from 'lucide-react/icons/circle-alert';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { Severity } from '#contract/deliveries/event-log.ts';

export const severities: Record<Severity, { Icon: typeof Info; colour: string; word: string }> = {
  info: { Icon: Info, colour: 'text-muted', word: 'Information' },
  warning: { Icon: TriangleAlert, colour: 'text-running', word: 'Warning' },
  error: { Icon: CircleAlert, colour: 'text-failed', word: 'Error' },
};

/** The word must be shown beside the icon. */
export function SeverityIcon({ severity, className = '' }: { severity: Severity; className?: string }) {
  const { Icon, colour } = severities[severity];
  return <Icon size={15} className={`shrink-0 ${colour} ${className}`} aria-hidden />;
}
