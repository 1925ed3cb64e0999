/** A complete answer of 200 to a request that the early start sent. */
export interface EarlyAnswer {
  /** As `Date.now()`. */
  sentAt: number;
  response: Response;
}

type Pending = Promise<EarlyAnswer | undefined>;

/** The early start is a script of its own, so it leaves the answers here. */
const page = globalThis as { forgewatchEarly?: Map<string, Pending> };

/** An older answer may belong to a page that was left. */
const usableMs = 30_000;

/** Sends a request before the app runs. Without success the app sends it again, and handles the failure. */
export function sendEarly(path: string, init?: RequestInit): Pending {
  page.forgewatchEarly ??= new Map();
  const answer = answerTo(path, init);
  page.forgewatchEarly.set(path, answer);
  return answer;
}

async function answerTo(path: string, init: RequestInit | undefined): Pending {
  const sentAt = Date.now();
  try {
    const { status, body } = await readWhole(await fetch(path, init));
    return status === 200 ? { sentAt, response: new Response(body) } : undefined;
  } catch {
    return undefined;
  }
}

/** Also puts a file into the cache of the browser. */
const readWhole = async (response: Response) => ({
  status: response.status,
  body: await response.arrayBuffer(),
});

/** The answer to a request that was sent early, only once. Undefined when the app has to send the request. */
export function takeEarly(path: string): Pending | undefined {
  const pending = page.forgewatchEarly?.get(path);
  page.forgewatchEarly?.delete(path);
  return pending?.then((early) => {
    const age = early === undefined ? Infinity : Date.now() - early.sentAt;
    return age >= 0 && age < usableMs ? early : undefined;
  });
}
