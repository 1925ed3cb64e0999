import { useEffect, useState } from 'react';

const pauseMs = 300;

/** What a value is once it has not changed for a moment, such as a text after it was typed. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
