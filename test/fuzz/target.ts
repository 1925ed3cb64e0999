import type { Schema } from './grammar/schema.ts';

/** A row of the product's route table, as it travels between processes. */
export interface RouteRow {
  method: string;
  path: string;
  /** `role`, `signed-in`, or what else the row says. */
  isForSessions: boolean;
  isRaw: boolean;
  query?: Schema;
  body?: Schema;
  /** Statuses that the API reference names for it. */
  statuses: number[];
}

/** What never changes while the product runs. */
export interface Surroundings {
  baseUrl: string;
  routes: RouteRow[];
  /** Where the product may send a browser. */
  redirectOrigins: string[];
  /** Texts of another tenant and secrets of the deployment: none of them may ever be answered. */
  forbidden: string[];
  applicationSecret: string;
}

/** Objects and sessions that cases refer to by name; replaced now and then, as cases delete them. */
export interface World {
  integrationId: string;
  webhookSecret: string;
  values: Record<string, string>;
  cookies: Record<'viewer' | 'owner' | 'guest', string>;
}

/** How the product fared since it was last asked. */
export interface Health {
  /** CPU time of the longest stretch in which its event loop did nothing else. */
  blockedMs: number;
  rssMb: number;
  heapMb: number;
  /** Its log lines of level error. */
  errors: string[];
  /** Messages that died for a reason that is none of the sender's. */
  deadLetters: string[];
}

/** What the driver may ask of the process that the product runs in. */
export interface Questions {
  surroundings: () => Promise<Surroundings>;
  world: () => Promise<World>;
  /** Waits for the queue to be empty first. */
  settled: () => Promise<Health>;
  health: () => Promise<Health>;
  /** A digest of all that is stored of the world's integration. */
  digest: () => Promise<string>;
  /** A token for one WebSocket handshake. */
  socketToken: (who: 'viewer' | 'owner') => Promise<string>;
}

/** The questions as the driver asks them. */
export type Product = Questions;
