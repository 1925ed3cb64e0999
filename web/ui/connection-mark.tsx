import { useConnection } from '../api/live/live.tsx';

const words = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  offline: 'Offline',
  crowded: 'Too many pages',
  stopped: 'Disconnected',
} as const;

const explanations = {
  connecting: 'Connecting to the server',
  live: 'Updates arrive live',
  reconnecting: 'The connection was lost. Reconnecting; no update is missed',
  offline: 'This device has no network. Updates continue when it is back',
  crowded:
    'Ten pages with live updates are open. This page refreshes every 30 seconds. Close another page to receive live updates',
  stopped: 'The server ended the connection',
} as const;

const colours = {
  connecting: 'bg-line-strong',
  live: 'bg-passed',
  reconnecting: 'bg-running',
  offline: 'bg-failed',
  crowded: 'bg-running',
  stopped: 'bg-failed',
} as const;

/** The state of the live connection. */
export function ConnectionMark() {
  const { state, tryAgain } = useConnection();
  return (
    <span className="flex items-center gap-2 whitespace-nowrap print:hidden" title={explanations[state]}>
      <span aria-hidden className={`size-2 rounded-full ${colours[state]}`} />
      <output aria-label="Connection" className="text-muted">
        {words[state]}
      </output>
      {(state === 'stopped' || state === 'crowded') && (
        <button type="button" className="text-accent underline" onClick={tryAgain}>
          Try again
        </button>
      )}
    </span>
  );
}
