import { setImmediate as nextTurn } from 'node:timers/promises';

// The library is built on Koa. Loading both at once would stop the event loop for twice as long. Two immediates, because the first may
// run before the loop reads from its connections.
await import('koa');
await nextTurn();
await nextTurn();

// oxlint-disable no-console -- the library warns only through the console and has no setting for it
// When it is loaded, the library warns about every Node release that is not LTS. The product brings its own Node and is tested on
// it, so an operator cannot act on that warning. All other warnings are printed.
const warn = console.warn;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words);
};
const library = await import('oidc-provider');
console.warn = warn;

export const { errors, interactionPolicy, Provider } = library;
