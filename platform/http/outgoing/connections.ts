import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';

export interface Connections {
  /** Connects to addresses that `lookup` returns; without one to any. `rule` names it. */
  to(origin: string, rule: string, lookup: LookupFunction | undefined): Promise<Dispatcher>;
  /** Call it after a call whose body was not read to its end. */
  end(dispatcher: Dispatcher): Promise<void>;
  /** Call it instead for an answer whose body nobody reads. */
  skip(dispatcher: Dispatcher, body: Dispatcher.ResponseData['body']): Promise<void>;
  destroy(): void;
}

export interface ConnectionOptions {
  connectMs: number;
  /** Uses connections again. Default: one for each call. */
  isKept: boolean;
}

/** Even if the server offers more. */
const keptMs = 10_000;
/** A connection with a longer rest of an answer is closed. */
const rest = { limit: 16_384, waitMs: 1_000 };

export function makeConnections({ connectMs, isKept }: ConnectionOptions): Connections {
  const agents = new Map<string, Dispatcher>();
  const end = async (dispatcher: Dispatcher): Promise<void> => {
    if (!isKept) await dispatcher.destroy().catch(() => {});
  };
  return {
    to: async (origin, rule, lookup) => {
      // Loaded by the first call, to keep the start fast.
      const { Agent, Client } = await import('undici');
      const kept = agents.get(rule);
      if (kept !== undefined) return kept;
      const options = {
        allowH2: false,
        connect: { ...(lookup === undefined ? {} : { lookup }), timeout: connectMs },
      };
      if (!isKept) return new Client(origin, { ...options, pipelining: 0 });
      const agent = new Agent({ ...options, keepAliveMaxTimeout: keptMs });
      agents.set(rule, agent);
      return agent;
    },
    end,
    skip: async (dispatcher, body) => {
      if (!isKept) return end(dispatcher);
      const signal = AbortSignal.timeout(rest.waitMs);
      await body.dump({ limit: rest.limit, signal }).catch(() => {});
    },
    destroy: () => {
      for (const agent of agents.values()) void agent.destroy();
    },
  };
}
