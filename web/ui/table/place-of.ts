/**
 * Remembers the position of an element. After its removal, returns the element to focus: the one that moved to its
 * place in the nearest remaining ancestor. Undefined while the element exists.
 */
export function placeOf(element: Element | null): () => HTMLElement | undefined {
  const way: { element: Element; index: number }[] = [];
  for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
    way.push({ element: at, index: [...(at.parentElement?.children ?? [])].indexOf(at) });
  }
  return () => {
    const depth = way.findIndex((step) => step.element.isConnected);
    if (depth < 1) return undefined;
    const around = way[depth]!.element;
    const next = around.children[Math.min(way[depth - 1]!.index, around.children.length - 1)] ?? around;
    return next instanceof HTMLElement ? focusableIn(next) : undefined;
  };
}

function focusableIn(element: HTMLElement): HTMLElement {
  // The actions of a row come before its links.
  const inside =
    element.querySelector<HTMLElement>('button') ?? element.querySelector<HTMLElement>('a[href]');
  // A text element needs a tabindex to receive the focus.
  if (inside === null && !element.matches('button, a[href], [tabindex]')) element.tabIndex = -1;
  return inside ?? element;
}
