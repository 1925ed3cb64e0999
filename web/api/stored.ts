type Area = 'localStorage' | 'sessionStorage';

/** The stored value. Undefined for none, and when the browser disables storage. */
export function readStored(area: Area, key: string): string | undefined {
  try {
    return globalThis[area].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value, or removes it with null. False when the browser disables storage. */
export function store(area: Area, key: string, value: string | null): boolean {
  try {
    if (value === null) globalThis[area].removeItem(key);
    else globalThis[area].setItem(key, value);
    return true;
  } catch {
    return false;
  }
}
