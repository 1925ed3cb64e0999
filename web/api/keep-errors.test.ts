import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { keepErrors } from './keep-errors.ts';

let answer: PromiseWithResolvers<string>;

function newClient(): QueryClient {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  keepErrors(client.getQueryCache());
  return client;
}

/** A page that shows one query. */
function openPage(client: QueryClient) {
  answer = Promise.withResolvers();
  const observer = new QueryObserver(client, { queryKey: ['members'], queryFn: () => answer.promise });
  const close = observer.subscribe(() => {});
  return {
    shown: (): string => {
      const { data, error } = observer.getCurrentResult();
      return data ?? error?.message ?? 'placeholder';
    },
    /** Joins a request that is under way. */
    read: () => observer.refetch(),
    close,
  };
}

test('a failed page shows its error until data arrives, through every later request', async () => {
  const { shown, read } = openPage(newClient());
  assert.equal(shown(), 'placeholder');
  answer.reject(new Error('No answer'));
  await read();
  for (const message of ['Bad gateway', 'No answer']) {
    const before = shown();
    answer = Promise.withResolvers();
    const reading = read();
    assert.equal(shown(), before);
    answer.reject(new Error(message));
    await reading;
    assert.equal(shown(), message);
  }
  answer = Promise.withResolvers();
  const reading = read();
  assert.equal(shown(), 'No answer');
  answer.resolve('Mira');
  await reading;
  assert.equal(shown(), 'Mira');
});

test('a failed page that is opened again shows its placeholder first', async () => {
  const client = newClient();
  const first = openPage(client);
  answer.reject(new Error('No answer'));
  await first.read();
  first.close();
  const second = openPage(client);
  assert.equal(second.shown(), 'placeholder');
  answer.resolve('Mira');
  await second.read();
  assert.equal(second.shown(), 'Mira');
});
