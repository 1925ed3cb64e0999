import { useIsAway } from '../api/contact/browser-contact.ts';
import { useConnection } from '../api/live/live.tsx';

const looks = {
  connecting: { word: 'Connecting', colour: 'bg-line-strong', meaning: 'Connecting to the server' },
  live: { word: 'Live', colour: 'bg-passed', meaning: 'Updates arrive live' },
  reconnecting: {
    word: 'Reconnecting',
    colour: 'bg-running',
    meaning: 'The connection was lost. Reconnecting; no update is missed',
  },
  offline: {
    word: 'Offline',
    colour: 'bg-failed',
    meaning: 'There is no connection to the server. Updates continue when it is back',
  },
  crowded: {
    word: 'Too many pages',
    colour: 'bg-running',
    meaning:
      'Ten pages with live updates are open. This page refreshes every 30 seconds. Close another page to receive live updates',
  },
  stopped: { word: 'Disconnected', colour: 'bg-failed', meaning: 'The server ended the connection' },
} as const;

/** The state of the live connection. */
export function ConnectionMark() {
  const { state: socket, tryAgain } = useConnection();
  // The socket notices a lost network later than the requests.
  const state = useIsAway() && socket === 'live' ? 'offline' : socket;
  const { word, colour, meaning } = looks[state];
  return (
    <span className="flex items-center gap-2 whitespace-nowrap print:hidden" title={meaning}>
      <span aria-hidden className={`size-2 rounded-full ${colour}`} />
      {/* The longer word before Live would break a full line of filters for a moment. */}
      <output
        aria-label="Connection"
        className={`text-muted ${state === 'connecting' ? 'md:max-2xl:sr-only' : ''}`}
      >
        {word}
      </output>
      {(state === 'stopped' || state === 'crowded') && (
        <button type="button" className="text-accent underline" onClick={tryAgain}>
          Try again
        </button>
      )}
    </span>
  );
}
