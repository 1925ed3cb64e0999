import type { IncomingHttpHeaders } from 'node:http';

/** Of GitHub, Gitea and Forgejo: which event, delivery and hook. Never a signature or a credential. */
const kept =
  /^(content-type|user-agent|x-[a-z]+-(event|event-type|delivery|hook-id|hook-installation-target-(id|type)))$/;
const longest = 200;
const most = 16;

/** What is shown of a delivery's headers to whoever looks for a fault. */
export function selectHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const found = Object.entries(headers).filter(
    (entry): entry is [string, string] => kept.test(entry[0]) && typeof entry[1] === 'string',
  );
  return Object.fromEntries(found.slice(0, most).map(([name, value]) => [name, value.slice(0, longest)]));
}
