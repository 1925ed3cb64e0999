import type { WsToken } from '#contract/members/identity.ts';
import type { ServerMessage } from '#contract/runs/realtime.ts';

/** Browsers cannot set headers on a WebSocket handshake, so the token is in the query. */
export function socketAddress({ url, token }: WsToken): string {
  const address = new URL(url);
  address.searchParams.set('token', token);
  address.searchParams.set('channel', 'workflows');
  return address.href;
}

/** Undefined for a text that is no JSON object. */
export function parseMessage(text: string): ServerMessage | undefined {
  try {
    const message = JSON.parse(text) as ServerMessage | null;
    return typeof message === 'object' ? (message ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}
