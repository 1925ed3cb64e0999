/** So often the watch looks; a turn of the event loop that takes longer shows at its next look. */
const everyMs = 5;

/**
 * Measures the longest turn of this thread's event loop in CPU time of this thread, so that it does not count how long the machine
 * did something else meanwhile. What is measured is at most one look longer.
 */
export function watchLoop(): { longestMs(): number; stop(): void } {
  let last = cpuMs();
  let longest = 0;
  const look = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, everyMs).unref();
  return {
    longestMs: () => {
      look();
      const answer = longest;
      longest = 0;
      return answer;
    },
    stop: () => clearInterval(timer),
  };
}

/** CPU time of this thread so far. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
