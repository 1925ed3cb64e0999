/** A storage of a browser in memory. With `isDisabled`, each use throws, as in a browser that blocks storage. */
export function fakeStorage(isDisabled = false): Storage {
  const items = new Map<string, string>();
  const use = (): Map<string, string> => {
    if (isDisabled) throw new DOMException('blocked', 'SecurityError');
    return items;
  };
  return {
    get length() {
      return use().size;
    },
    key: (index) => [...use().keys()][index] ?? null,
    getItem: (key) => use().get(key) ?? null,
    setItem: (key, value) => void use().set(key, value),
    removeItem: (key) => void use().delete(key),
    clear: () => use().clear(),
  };
}

/** Defines globals of a page, for code that runs in a browser. */
export function setPageGlobals(globals: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** Opens an address: sets `location` and a `history` whose `replaceState` changes it. */
export function openAddress(href: string): void {
  const history = {
    state: null,
    replaceState: (_state: unknown, _title: string, to: string | URL) => {
      href = new URL(to, href).href;
      setPageGlobals({ location: new URL(href) });
    },
  };
  setPageGlobals({ location: new URL(href), history });
}

/** Prepares for the client of the API, which listens to the page and to other tabs when it is imported. */
export function setClientGlobals(): void {
  const page = new EventTarget();
  class LonelyTab extends EventTarget {
    postMessage(): void {}
  }
  setPageGlobals({
    document: page,
    BroadcastChannel: LonelyTab,
    addEventListener: page.addEventListener.bind(page),
    localStorage: fakeStorage(),
  });
}
