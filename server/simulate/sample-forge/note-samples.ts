import { boundedFetch } from '#platform/http/outgoing/bounded-fetch.ts';
import type { SimulatedEvent } from '../event.ts';

export interface NoteSamplesOptions {
  url: string;
  /** The token of the integration at the sample forge. */
  token: string;
  /** A member who may connect the integration. */
  actorId: string;
}

const timeoutMs = 10_000;
const fetch = boundedFetch(16 * 1024);

/**
 * Connects the integration to the sample forge of the running server, unless it has another connection. Returns a function that
 * lets this forge know an event, so that it has the log of a failed job and can re-run it.
 */
export async function startNoting({
  url,
  token,
  actorId,
}: NoteSamplesOptions): Promise<(event: SimulatedEvent) => void> {
  const post = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${url}/samples/${path}`, {
      method: 'POST',
      headers: { authorization: `token ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`the sample forge answered ${response.status}`);
  };
  await post('connection', { actorId });
  return (event) => {
    if (event.eventType !== 'workflow_run' && event.eventType !== 'workflow_job') return;
    // Without this event a failed job has a reason from its steps, which is no reason to stop.
    post('events', event).catch(() => {});
  };
}
