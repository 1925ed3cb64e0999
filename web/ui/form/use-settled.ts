import { useEffect, useState } from 'react';

const pauseMs = 300;

/** A value after it has not changed for a moment, for example a typed text. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
