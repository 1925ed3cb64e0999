/** A priority queue. `pop` removes the value with the smallest key. */
export interface Heap<T> {
  readonly size: number;
  peekKey(): number;
  push(key: number, value: T): void;
  pop(): T | undefined;
}

export function createHeap<T>(): Heap<T> {
  const nodes: { key: number; value: T }[] = [];
  const key = (index: number): number => nodes[index]?.key ?? Infinity;
  const swap = (a: number, b: number): void => {
    [nodes[a], nodes[b]] = [nodes[b] as (typeof nodes)[0], nodes[a] as (typeof nodes)[0]];
  };
  const rise = (index: number): void => {
    const parent = (index - 1) >> 1;
    if (index === 0 || key(parent) <= key(index)) return;
    swap(index, parent);
    rise(parent);
  };
  const sink = (index: number): void => {
    const child = key(2 * index + 2) < key(2 * index + 1) ? 2 * index + 2 : 2 * index + 1;
    if (key(child) >= key(index)) return;
    swap(index, child);
    sink(child);
  };
  return {
    get size() {
      return nodes.length;
    },
    peekKey: () => key(0),
    push: (newKey, value) => {
      nodes.push({ key: newKey, value });
      rise(nodes.length - 1);
    },
    pop: () => {
      const first = nodes[0];
      const last = nodes.pop();
      if (last !== undefined && nodes.length > 0) {
        nodes[0] = last;
        sink(0);
      }
      return first?.value;
    },
  };
}
