import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a measured process. At SIGUSR2 it writes the event-loop delays since the last one to BENCH_DELAY_FILE, in
 * milliseconds, and the most that its thread computed in one of them: the rest it waited for a processor or for a thread of V8.
 */
const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);

const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let computed = computedMs();
let mostComputed = 0;
setInterval(() => {
  const now = computedMs();
  mostComputed = Math.max(mostComputed, now - computed);
  computed = now;
}, resolutionMs).unref();

process.on('SIGUSR2', () => {
  const text = JSON.stringify({ longest: ms(delays.max), p999: ms(delays.percentile(99.9)), mostComputed });
  delays.reset();
  mostComputed = 0;
  writeFileSync(process.env['BENCH_DELAY_FILE'] ?? '', text);
});
