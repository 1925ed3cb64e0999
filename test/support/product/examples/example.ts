import type { World } from '../route-objects.ts';

/** A valid call of a route: further path parameters, required parameters of the query, and the body. */
export interface Call {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
}

type Example = (world: World) => Call | Promise<Call>;
export type Examples = Record<string, Example>;

export const one = '/api/integrations/:integrationId';
export const nothing: Example = () => ({});

/** A call about a new object, whose id is in the path. */
export const inPath =
  (name: string, make: (world: World) => Promise<string>, body?: Call['body']): Example =>
  async (world) => ({ params: { [name]: await make(world) }, ...(body && { body }) });

/** A call that finds a new object. */
export const after =
  (make: (world: World) => Promise<unknown>): Example =>
  async (world) => {
    await make(world);
    return {};
  };
