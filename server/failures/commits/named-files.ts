/** One class of characters, so that it takes linear time. */
const words = /[\w@.+~\\/-]+/g;
const extension = /\.\w{1,10}$/;
const maxWord = 500;
const maxText = 200_000;

/** Which paths the texts name: whole, from any of their folders on, or with folders of another machine before them. */
export function makeNamedFiles(texts: readonly string[]): (path: string) => boolean {
  const byName = new Map<string, Set<string>>();
  let left = maxText;
  for (const text of texts) {
    if (left <= 0) break;
    for (const [found] of text.slice(0, left).matchAll(words)) {
      const path = found.length > maxWord ? '' : pathOf(found);
      const name = nameOf(path);
      if (!extension.test(name)) continue;
      byName.set(name, (byName.get(name) ?? new Set()).add(path));
    }
    left -= text.length;
  }
  return (path) =>
    [...(byName.get(nameOf(path)) ?? [])].some(
      (named) => named === path || path.endsWith(`/${named}`) || named.endsWith(`/${path}`),
    );
}

/** Without the dots and slashes around it. */
function pathOf(word: string): string {
  const parts = word.replaceAll('\\', '/').split('/');
  const path = parts.filter((part, index) => index > 0 || !['', '.', '..'].includes(part)).join('/');
  return path.endsWith('.') ? path.slice(0, -1) : path;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
