import { errorCodes, type ErrorCode, type Problem } from '#contract/base/errors.ts';
import type { HttpCase } from './case.ts';
import type { Answer } from './exchange/read-answer.ts';
import type { Health, RouteRow, Surroundings } from './target.ts';

/** No request may keep the event loop for longer. */
const mostBlockedMs = 50;

/** Of the whole process, with its test harness; bodies of all requests together may take 256 MB of it. */
const mostRssMb = 1_500;

/** What may be answered although it is a server error: it is about what is behind the product, or not set up. */
const allowedServerErrors: readonly ErrorCode[] = [
  'forge_app_not_configured',
  'forge_sign_in_not_configured',
  'forge_unavailable',
];

/** Of stack traces, SQL and the files of this program. */
const insides = [
  /\n\s+at .{1,200}:\d+:\d+/,
  /node_modules|file:\/\/\//,
  /\b(insert into|delete from|select .{1,100} from) \w/i,
  /\b(syntax error at or near|violates \w+-?\w* constraint|invalid input syntax|SQLSTATE)/i,
  /postgres(ql)?:\/\//,
];

/** What is wrong with an answer; empty when nothing is. */
export function faultsOf(
  { method, target, headers }: HttpCase,
  answer: Answer,
  { routes, redirectOrigins, forbidden }: Surroundings,
): string[] {
  const { status, body } = answer;
  const faults = leaksIn(JSON.stringify(answer.headers) + body, forbidden);
  const row = routes.find((each) => each.method === method && isAt(each.path, target));
  if (status >= 400) faults.push(...problemFaults(answer, method, target));
  else if (row !== undefined && !row.statuses.includes(status) && !isFailurePage(status, headers))
    faults.push(`${status} is no status of the API reference`);
  const location = headerOf(answer, 'location');
  if (location !== undefined && !isOwnAddress(location, redirectOrigins))
    faults.push(`redirects to ${location}`);
  return faults;
}

export function leaksIn(text: string, forbidden: readonly string[]): string[] {
  return [
    ...forbidden.filter((secret) => text.includes(secret)).map((secret) => `tells ${secret.slice(0, 12)}…`),
    ...insides.filter((inside) => inside.test(text)).map((inside) => `tells of its insides: ${inside}`),
  ];
}

export function healthFaults({ blockedMs, rssMb, errors, deadLetters }: Health): string[] {
  return [
    ...(blockedMs > mostBlockedMs
      ? [`the event loop was kept for ${Math.round(blockedMs)} ms of CPU time`]
      : []),
    ...(rssMb > mostRssMb ? [`the process takes ${Math.round(rssMb)} MB`] : []),
    ...errors.map((line) => `logged an error: ${line.slice(0, 600)}`),
    ...deadLetters.map((letter) => `a message died: ${letter}`),
  ];
}

function problemFaults(answer: Answer, method: string, target: string): string[] {
  const { status, body } = answer;
  // Without a body nothing tells which of the codes it is.
  if (method === 'HEAD') return status >= 500 && status !== 503 ? [`answers ${status}`] : [];
  if (isOAuth(target, body)) return status >= 500 ? [`answers ${status}`] : [];
  if (!headerOf(answer, 'content-type')?.startsWith('application/problem+json'))
    return [`${status} is no problem document: ${body.slice(0, 200)}`];
  const { code, requestId } = JSON.parse(body) as Problem;
  const known = errorCodes[code];
  if (known === undefined) return [`${String(code)} is no code of the contract`];
  if (known.status !== status) return [`${code} is answered as ${status}`];
  if (typeof requestId !== 'string') return ['the problem has no requestId'];
  return status >= 500 && !allowedServerErrors.includes(code) ? [`answers ${status} ${code}: ${body}`] : [];
}

/** RFC 6749 says how a token endpoint refuses. */
function isOAuth(target: string, body: string): boolean {
  return target.startsWith('/api/auth/cognito/') && /^\{"error":"\w+"/.test(body);
}

/** A browser is sent to a page instead of being shown a problem document. */
function isFailurePage(status: number, headers: HttpCase['headers']): boolean {
  return status === 302 && headers.some(([name, value]) => name === 'accept' && value.includes('text/html'));
}

function isOwnAddress(location: string, origins: readonly string[]): boolean {
  if (location.startsWith('/')) return !/^\/[/\\]/.test(location);
  return URL.canParse(location) && origins.includes(new URL(location).origin);
}

function headerOf({ headers }: Answer, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

function isAt(path: RouteRow['path'], target: string): boolean {
  const wanted = path.split('/');
  const parts = (target.split('?')[0] ?? '').split('/');
  return (
    wanted.length === parts.length &&
    wanted.every((segment, index) => segment.startsWith(':') || segment === parts[index])
  );
}
