import type { WsToken } from '#contract/members/identity.ts';
import type { ServerMessage } from '#contract/runs/realtime.ts';

/** Browsers cannot set headers on a WebSocket handshake, so the token is in the query. */
export function socketAddress({ url, token }: WsToken): string {
  const address = new URL(url);
  address.searchParams.set('token', token);
  address.searchParams.set('channel', 'workflows');
  return address.href;
}

/** Undefined for a text that is not JSON. */
export function parseMessage(text: string): ServerMessage | undefined {
  try {
    return JSON.parse(text) as ServerMessage;
  } catch {
    return undefined;
  }
}
