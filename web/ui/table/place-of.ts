/**
 * Remembers where an element stands. Once it is gone, the answer is what the focus goes on with: what moved up to its place
 * in the innermost element around it that is still there. Undefined while it has not gone.
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
    const heir = around.children[Math.min(way[depth - 1]!.index, around.children.length - 1)] ?? around;
    return heir instanceof HTMLElement ? focusableIn(heir) : undefined;
  };
}

function focusableIn(element: HTMLElement): HTMLElement {
  const inside = element.querySelector<HTMLElement>('button, a[href]');
  // A text is no place for the focus of its own accord.
  if (inside === null && !element.matches('button, a[href], [tabindex]')) element.tabIndex = -1;
  return inside ?? element;
}
