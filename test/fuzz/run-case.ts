import { bytesOf, type HttpCase, type SocketCase } from './case.ts';
import { requestBytes } from './exchange/request-bytes.ts';
import { sendFrames } from './exchange/send-frames.ts';
import { sendRequest, type Outcome } from './exchange/send-request.ts';
import { faultsOf, healthFaults, leaksIn } from './oracle.ts';
import type { Health, Product, Surroundings, World } from './target.ts';

export type AnyCase = HttpCase | SocketCase;

/** What a case is run against, and what was seen so far. */
export interface Ground {
  product: Product;
  surroundings: Surroundings;
  world: World;
  cases: number;
  slowestMs: number;
  rssMb: number;
  /** The least since it was told: about what is left after a collection of garbage. */
  heapMb: number;
}

/** So many cases before the objects that they refer to are made again. */
const casesOfAWorld = 400;

/** One in so many refused requests is looked at for what it changed. */
const digestEvery = 15;

/** Sends one case; rejects with all that is wrong with what came of it. */
export async function runCase(ground: Ground, each: AnyCase): Promise<void> {
  if (ground.cases++ % casesOfAWorld === 0) ground.world = await ground.product.world();
  const faults = 'frames' in each ? await socketFaults(ground, each) : await requestFaults(ground, each);
  const isQueued = !('frames' in each) && each.signer !== undefined;
  faults.push(...(await healthAfter(ground, each, await ground.product[isQueued ? 'settled' : 'health']())));
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

async function requestFaults(ground: Ground, each: HttpCase): Promise<string[]> {
  const outcome = await send(ground, each);
  if ('failed' in outcome) return [outcome.failed];
  if ('closed' in outcome)
    return isWhole(each) && !isLong(ground, each) ? [`the connection was closed ${outcome.closed}`] : [];
  const faults = faultsOf(each, outcome.answer, ground.surroundings);
  const isWatched = each.signer === undefined && each.who !== 'guest' && ground.cases % digestEvery === 0;
  if (isWatched && outcome.answer.status >= 400 && (await changesEachTime(ground, each)))
    faults.push(`answered ${outcome.answer.status} and changed something`);
  return faults;
}

/** The product does things of its own accord as well: what a request changes it changes whenever it is sent. */
async function changesEachTime(ground: Ground, each: HttpCase): Promise<boolean> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const before = await ground.product.digest();
    await send(ground, each);
    if (before === (await ground.product.digest())) return false;
  }
  return true;
}

function send({ surroundings, world }: Ground, each: HttpCase): Promise<Outcome> {
  const port = Number(new URL(surroundings.baseUrl).port);
  return sendRequest(port, requestBytes(each, surroundings, world), each.method, isWhole(each));
}

/** The server refuses such a request before it is sent to its end. Then the refusal may be lost with the connection. */
function isLong({ world }: Ground, { target, headers, body = [] }: HttpCase): boolean {
  const headBytes = target.length + headers.flat().join('').length;
  return headBytes > 64 * 1024 || bytesOf(body, world.values).length > 256 * 1024;
}

/** Whether the request has an end that both sides agree about, and an answer of its own therefore. */
function isWhole({ framing = 'length', headers, method }: HttpCase): boolean {
  const isUnusual = headers.some(([name]) =>
    ['expect', 'upgrade', 'connection', 'transfer-encoding'].includes(name),
  );
  return (
    (framing === 'length' || framing === 'chunked') && !isUnusual && !['CONNECT', 'PRI'].includes(method)
  );
}

async function socketFaults({ product, surroundings, world }: Ground, each: SocketCase): Promise<string[]> {
  const token = await product.socketToken(each.who);
  const port = Number(new URL(surroundings.baseUrl).port);
  const { received } = await sendFrames(port, each, token, { ...world.values, token });
  return leaksIn(received.toString(), surroundings.forbidden);
}

/** What blocked the loop once may have been a collection of garbage: it counts when the same case does so three times. */
async function healthAfter(ground: Ground, each: AnyCase, first: Health): Promise<string[]> {
  ground.rssMb = Math.max(ground.rssMb, first.rssMb);
  ground.heapMb = Math.min(ground.heapMb, first.heapMb);
  let lowest = first;
  for (
    let attempt = 0;
    attempt < 2 && healthFaults({ ...lowest, errors: [], deadLetters: [] }).length > 0;
    attempt++
  ) {
    await ('frames' in each ? socketFaults(ground, each) : send(ground, each));
    const again = await ground.product.settled();
    lowest = { ...first, blockedMs: Math.min(lowest.blockedMs, again.blockedMs) };
  }
  ground.slowestMs = Math.max(ground.slowestMs, lowest.blockedMs);
  return healthFaults({ ...first, blockedMs: lowest.blockedMs });
}
