import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeGuardedFetch } from '#platform/http/outgoing/guarded-fetch.ts';
import { serve } from '#test/support/network/serve.ts';
import { ForgeError, RateLimited } from './errors.ts';
import { maxLogBytes, readLog } from './read-log.ts';

/** The guard trusts the servers in `trusted`, as it trusts the forge that the operator configured. */
async function read(trusted: string[], url: string): Promise<Buffer> {
  const guardedFetch = makeGuardedFetch({ allowedNetworks: [], trustedOrigins: trusted });
  const chunks: Uint8Array[] = [];
  for await (const chunk of readLog(guardedFetch, url, 'Bearer secret')) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const failsWith = (status: number, words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ForgeError, String(error));
  assert.equal(error.status, status, error.message);
  assert.match(error.message, words);
  return true;
};

test('a log is read from the server that the forge redirects to, and only the forge gets the credential', async () => {
  const seen: unknown[] = [];
  const { url: storage } = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.end(Buffer.from([0xff, 0x0a, 0x61]));
  });
  const { url: forge } = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(302, { location: `${storage}/log?signature=1` }).end();
  });
  assert.deepEqual(await read([forge, storage], `${forge}/logs`), Buffer.from([0xff, 0x0a, 0x61]));
  assert.deepEqual(seen, ['Bearer secret', undefined]);
});

test('a redirect into a private network is refused', async () => {
  let calls = 0;
  const { url: inside } = await serve((_request, response) => void response.end(String((calls += 1))));
  const { url: forge } = await serve((_request, response) =>
    response.writeHead(302, { location: `${inside.replace('http:', 'https:')}/metadata` }).end(),
  );
  await assert.rejects(read([forge], `${forge}/logs`), failsWith(500, /private address|port/));
  assert.equal(calls, 0);
});

test('redirects in a circle and redirects to nowhere end with an error', async () => {
  const { url: forge } = await serve(({ url }, response) =>
    response.writeHead(302, url === '/nowhere' ? { location: 'http://[' } : { location: url }).end(),
  );
  await assert.rejects(read([forge], `${forge}/circle`), failsWith(502, /too many redirects/));
  await assert.rejects(read([forge], `${forge}/nowhere`), failsWith(502, /no valid address/));
});

for (const status of [404, 410]) {
  test(`a log that is gone is reported with the status ${status} and the words of the forge`, async () => {
    const { url: forge } = await serve((_request, response) =>
      response.writeHead(status).end(JSON.stringify({ message: 'Logs have expired' })),
    );
    await assert.rejects(read([forge], `${forge}/logs`), failsWith(status, /^Logs have expired$/));
  });
}

test('a refusal whose words break keeps its status', async () => {
  const { url: forge } = await serve((_request, response) => {
    response.writeHead(404, { 'content-length': '1000' }).write('{"message":');
    setImmediate(() => response.destroy());
  });
  await assert.rejects(read([forge], `${forge}/logs`), failsWith(404, /answered 404/));
});

test('a rate limit is reported with its duration', async () => {
  const { url: forge } = await serve((_request, response) =>
    response.writeHead(429, { 'retry-after': '7' }).end(),
  );
  await assert.rejects(
    read([forge], `${forge}/logs`),
    (error) => error instanceof RateLimited && error.waitMs === 7000,
  );
});

test('a log that is cut in the middle ends with an error after what was sent', async () => {
  const { url: forge } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('begun');
    setTimeout(() => response.destroy(), 50);
  });
  const guardedFetch = makeGuardedFetch({ allowedNetworks: [], trustedOrigins: [forge] });
  const chunks: Uint8Array[] = [];
  await assert.rejects(async () => {
    for await (const chunk of readLog(guardedFetch, `${forge}/logs`, 'Bearer secret')) chunks.push(chunk);
  }, ForgeError);
  assert.equal(Buffer.concat(chunks).toString(), 'begun');
});

for (const sendsParts of [true, false]) {
  const server = sendsParts ? 'sends parts' : 'sends everything';
  test(`only the end of a long log is read from a server that ${server}`, async () => {
    const log = Buffer.alloc(maxLogBytes + 1_000_000, 'x');
    log.write('END', log.length - 3);
    let sent = 0;
    const { url: forge } = await serve(({ headers }, response) => {
      const start = sendsParts ? Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
      const body = log.subarray(start);
      response.writeHead(start > 0 ? 206 : 200, { 'content-length': body.length });
      if (headers.range === undefined && sendsParts) return void response.flushHeaders();
      sent += body.length;
      response.end(body);
    });
    const end = await read([forge], `${forge}/logs`);
    assert.equal(end.length, maxLogBytes + 1);
    assert.equal(end.subarray(-3).toString(), 'END');
    if (sendsParts) assert.equal(sent, maxLogBytes + 1);
  });
}

test('ending the loop early closes the connection', async () => {
  const closed = Promise.withResolvers<void>();
  const { url: forge } = await serve((_request, response) => {
    response.on('close', closed.resolve);
    response.writeHead(200).write('first');
  });
  const guardedFetch = makeGuardedFetch({ allowedNetworks: [], trustedOrigins: [forge] });
  const log = readLog(guardedFetch, `${forge}/logs`, 'Bearer secret');
  assert.equal(Buffer.from((await log.next()).value ?? []).toString(), 'first');
  await log.return(undefined);
  await closed.promise;
});
