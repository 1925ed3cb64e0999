import type { LucideIcon } from 'lucide-react';
import Bell from 'lucide-react/icons/bell';
import ChartLine from 'lucide-react/icons/chart-line';
import CircleX from 'lucide-react/icons/circle-x';
import GitPullRequest from 'lucide-react/icons/git-pull-request';
import FlaskConical from 'lucide-react/icons/flask-conical';
import HeartPulse from 'lucide-react/icons/heart-pulse';
import Hourglass from 'lucide-react/icons/hourglass';
import Inbox from 'lucide-react/icons/inbox';
import LayoutDashboard from 'lucide-react/icons/layout-dashboard';
import ListChecks from 'lucide-react/icons/list-checks';
import GitCompareArrows from 'lucide-react/icons/git-compare-arrows';
import Siren from 'lucide-react/icons/siren';
import Settings from 'lucide-react/icons/settings';
import Users from 'lucide-react/icons/users';
import type { ComponentType } from 'react';
import { UnreadCount } from '../../event-log/unread-count.tsx';

export interface PageEntry {
  to: `/integrations/$integrationId/${'overview' | 'runs' | 'pull-requests' | 'incidents' | 'failures' | 'tests' | 'event-log' | 'metrics' | 'what-changed' | 'health' | 'queue' | 'members' | 'rules' | 'settings'}`;
  label: string;
  Icon: LucideIcon;
  /** The second key of the shortcut, after `g`. */
  letter: string;
  /** Pages without a line of their own that are reached from it. */
  holds?: readonly string[];
  /** A count at the end of the line, for example of unread entries. Renders nothing for zero. */
  Count?: ComponentType<{ integrationId: string }>;
}

/** What happens in an integration. */
export const activityPages: readonly PageEntry[] = [
  { to: '/integrations/$integrationId/overview', label: 'Overview', Icon: LayoutDashboard, letter: 'o' },
  {
    to: '/integrations/$integrationId/runs',
    label: 'Workflow runs',
    Icon: ListChecks,
    letter: 'w',
    holds: ['workflow'],
  },
  {
    to: '/integrations/$integrationId/pull-requests',
    label: 'Pull requests',
    Icon: GitPullRequest,
    letter: 'l',
  },
  { to: '/integrations/$integrationId/incidents', label: 'Incidents', Icon: Siren, letter: 'i' },
  { to: '/integrations/$integrationId/failures', label: 'Failures', Icon: CircleX, letter: 'f' },
  { to: '/integrations/$integrationId/tests', label: 'Tests', Icon: FlaskConical, letter: 't' },
  {
    to: '/integrations/$integrationId/event-log',
    label: 'Event log',
    Icon: Inbox,
    letter: 'e',
    holds: ['deliveries', 'dead-letters'],
    Count: UnreadCount,
  },
  {
    to: '/integrations/$integrationId/metrics',
    label: 'Metrics',
    Icon: ChartLine,
    letter: 'm',
    holds: ['jobs'],
  },
  {
    to: '/integrations/$integrationId/what-changed',
    label: 'What changed',
    Icon: GitCompareArrows,
    letter: 'c',
  },
  { to: '/integrations/$integrationId/health', label: 'Health', Icon: HeartPulse, letter: 'b' },
  { to: '/integrations/$integrationId/queue', label: 'Queue', Icon: Hourglass, letter: 'q' },
];

/** The integration itself. */
export const integrationPages: readonly PageEntry[] = [
  { to: '/integrations/$integrationId/members', label: 'Members', Icon: Users, letter: 'p' },
  { to: '/integrations/$integrationId/rules', label: 'Notification rules', Icon: Bell, letter: 'r' },
  { to: '/integrations/$integrationId/settings', label: 'Settings', Icon: Settings, letter: 's' },
];

/** All pages, in the order of the sidebar, the shortcuts and the command palette. */
export const pages = [...activityPages, ...integrationPages];
