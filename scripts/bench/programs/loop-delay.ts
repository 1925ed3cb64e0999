import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a measured process. At SIGUSR2 it writes the event-loop delays since the last one to BENCH_DELAY_FILE, in
 * milliseconds.
 */
const resolutionMs = 1;
const delays = monitorEventLoopDelay({ resolution: resolutionMs });
delays.enable();
const ms = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);

process.on('SIGUSR2', () => {
  const text = JSON.stringify({ longest: ms(delays.max), p999: ms(delays.percentile(99.9)) });
  delays.reset();
  writeFileSync(process.env['BENCH_DELAY_FILE'] ?? '', text);
});
