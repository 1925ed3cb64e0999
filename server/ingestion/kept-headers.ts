import type { IncomingHttpHeaders } from 'node:http';

/** Headers of GitHub, Gitea and Forgejo about event, delivery and webhook. Never a signature or a credential. */
const kept =
  /^(content-type|user-agent|x-[a-z]+-(event|event-type|delivery|hook-id|hook-installation-target-(id|type)))$/;
const longest = 200;
const most = 16;

/** The headers that the page of a delivery shows. */
export function selectHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const found = Object.entries(headers).filter(
    (entry): entry is [string, string] => kept.test(entry[0]) && typeof entry[1] === 'string',
  );
  return Object.fromEntries(found.slice(0, most).map(([name, value]) => [name, value.slice(0, longest)]));
}
