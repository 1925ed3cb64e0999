/** Blocks callers while it is closed, so that a test decides what happens meanwhile. */
export function makeGate() {
  let isOpen = true;
  let waiting: (() => void)[] = [];
  return {
    close: () => {
      isOpen = false;
    },
    open: () => {
      isOpen = true;
      for (const go of waiting) go();
      waiting = [];
    },
    waiting: () => waiting.length,
    passed: () => (isOpen ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}
