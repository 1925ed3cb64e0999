import { randomUUID } from 'node:crypto';
import { hostileJson } from '#test/support/data/hostile-json.ts';
import { signature } from '#test/support/forge/post-webhook.ts';

/** One request to be made and sent. What it asks for is made here, so that the process under test does not pay for it. */
export interface HostileRequest {
  id: number;
  url: string;
  method: string;
  headers: Record<string, string>;
  /** One of `hostileJson`; none for a request without a body. */
  body?: { kind: string; bytes: number; before?: string; after?: string; isForm?: boolean };
  /** Signs the body as a forge does. */
  secret?: string;
}

export interface HostileAnswer {
  id: number;
  /** 0 when the connection broke. */
  status: number;
  code: string | undefined;
}

process.on('message', async ({ id, url, method, headers, body, secret }: HostileRequest) => {
  const json = body && (body.before ?? '') + hostileJson[body.kind]!(body.bytes) + (body.after ?? '');
  const text = json !== undefined && body?.isForm ? String(new URLSearchParams({ payload: json })) : json;
  const sent = {
    ...headers,
    ...(secret && {
      'x-hub-signature-256': signature(secret, text ?? ''),
      'x-github-delivery': randomUUID(),
    }),
  };
  const answer = await fetch(url, { method, headers: sent, body: text ?? null, redirect: 'manual' }).then(
    async (response) => {
      const read = await response.text();
      return { status: response.status, code: /"code":"(\w+)"/.exec(read.slice(0, 2000))?.[1] };
    },
    () => ({ status: 0, code: undefined }),
  );
  process.send?.({ id, ...answer } satisfies HostileAnswer);
});
