// oxlint-disable no-console -- it is the only voice of the library, and there is no other way to leave out a line
// When it is loaded, the library takes a release of Node for unsupported until it has been named LTS. The product
// brings its own Node and is tested on it, so nobody who starts it can act on that line. All else it says passes.
const warn = console.warn;
console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...words);
};
const library = await import('oidc-provider');
console.warn = warn;

export const { errors, interactionPolicy, Provider } = library;
