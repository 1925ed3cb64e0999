import { Type } from 'typebox';
import { strictObject } from '#contract/base/schema.ts';
import { AppError } from '#platform/runtime/app-error.ts';
import { route, type Route } from '#server/route.ts';

const path = '/mcp';

/** A message of JSON-RPC 2.0. The library checks what is in it. */
const Message = strictObject({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Optional(Type.Unknown()),
  method: Type.Optional(Type.String({ maxLength: 200 })),
  params: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
});

function refused(method: 'GET' | 'DELETE', summary: string): Route {
  return route(method, path, {
    access: 'token',
    summary,
    isReading: true,
    errors: ['method_not_allowed'],
    handle: async () => {
      throw new AppError('method_not_allowed', { detail: 'Send messages with POST.' });
    },
  });
}

/** The Model Context Protocol over streamable HTTP (https://modelcontextprotocol.io), without sessions. */
export function mcpRoutes({ version }: { version: string }): Route[] {
  return [
    route('POST', path, {
      access: 'token',
      summary: 'Send a message of the Model Context Protocol; its tools are requests to this API',
      body: Message,
      isReading: true,
      answer: { schema: Message, accepts: true },
      handle: async ({ request, reply }) => {
        // Most servers never need the library.
        const { serveMcp } = await import('./serve-mcp.ts');
        const answer = await serveMcp(request, version);
        reply.code(answer.status).type(answer.headers.get('content-type') ?? 'application/json');
        return answer.text();
      },
    }),
    refused('GET', 'Refused: there are no messages outside of an answer'),
    refused('DELETE', 'Refused: there are no sessions to end'),
  ];
}
