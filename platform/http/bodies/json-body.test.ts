import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import { Type } from 'typebox';
import type { Problem } from '#contract/base/errors.ts';
import { takesAtMost } from '#test/support/waiting/short-turns.ts';
import { registerRoutes } from '../register.ts';
import { route } from '../route.ts';
import { makeHttpServer } from '../server.ts';

const app = makeHttpServer(pino({ enabled: false }));
after(() => app.close());
await registerRoutes(
  app,
  [
    route({
      method: 'POST',
      path: '/json',
      access: 'anybody',
      summary: 'Takes JSON',
      body: Type.Object({ list: Type.Optional(Type.Unknown()) }, { additionalProperties: false }),
      handle: async () => ({}),
    }),
  ],
  { guard: () => undefined, describe: () => '', credentials: () => [] },
);

async function post(payload: string) {
  const answer = await app.inject({
    method: 'POST',
    url: '/json',
    headers: { 'content-type': 'application/json' },
    payload,
  });
  return { ...answer.json<Problem>(), status: answer.statusCode };
}

const longest = 256 * 1024;

const hostile: Record<string, (length: number) => string> = {
  'a string without end': (length) => `"${'\\"'.repeat((length - 1) / 2)}`,
  'brackets without end': (length) => '['.repeat(length),
  'brackets that close': (length) => '['.repeat(length / 2) + ']'.repeat(length / 2),
  'many numbers': (length) => `[${'0,'.repeat(length / 2 - 2)}0]`,
  'many fields': (length) => `{${Array.from({ length: length / 12 }, (_, at) => `"f${at}":1`).join(',')}}`,
};

for (const [name, make] of Object.entries(hostile)) {
  test(`a body of ${name} is refused quickly at every length`, async () => {
    for (let length = 1024; length <= longest; length *= 4) {
      const body = make(length);
      const refused = async (): Promise<void> => {
        const { status, code } = await post(body);
        assert.equal(status, 400, `${length} bytes`);
        assert.match(code, /^invalid_(request|json)$/);
      };
      await takesAtMost(50, refused, () => `${length} bytes`);
    }
  });
}

test('the error says whether a body is too deep or has too many values', async () => {
  const deep = await post(`{"list":${'['.repeat(64)}${']'.repeat(64)}}`);
  assert.deepEqual([deep.status, deep.detail], [400, 'The body is nested more than 64 levels deep.']);
  assert.equal((await post(`{"list":${'['.repeat(63)}${']'.repeat(63)}}`)).status, 200);
  const many = await post(`{"list":[${'0,'.repeat(1998)}0]}`);
  assert.deepEqual([many.status, many.detail], [400, 'The body holds more than 2000 values.']);
  assert.equal((await post(`{"list":[${'0,'.repeat(1997)}0]}`)).status, 200);
});
