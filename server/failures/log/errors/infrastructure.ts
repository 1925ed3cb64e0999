import type { InfrastructureFault } from '#contract/failures/failure-reason.ts';

const faults: readonly (readonly [InfrastructureFault, RegExp])[] = [
  [
    'runner_lost',
    /lost communication with the server|runner has received a shutdown signal|received request to deprovision|runner .{1,100} (?:went offline|was terminated|did not connect)/i,
  ],
  [
    'no_runner',
    /job was not acquired by runner|no runner matching the specified labels|waiting for a runner .{0,60}timed out/i,
  ],
  [
    'action_download',
    /failed to (?:resolve action download info|download (?:action|archive))|unable to resolve action download/i,
  ],
  [
    'payment',
    /recent account payments have failed|spending limit needs to be increased|billing .{0,40}locked/i,
  ],
  [
    'timeout',
    /exceeded the maximum execution time|has timed out after \d+ minutes?|job has exceeded the maximum/i,
  ],
  // ENOSPC also means that there are too many watched files.
  [
    'disk_full',
    /no space left on device|ENOSPC(?!.{0,100}watchers)|not enough space on the disk|disk quota exceeded/i,
  ],
];

const outOfTime = /exceeded the maximum execution time|job has exceeded the maximum/i;

/** Whether the forge says that it ended a job because of `timeout-minutes`. */
export function saysOutOfTime({ level, message }: { level: string; message: string }): boolean {
  return level === 'failure' && outOfTime.test(message.slice(0, 1_000));
}

/** The fault of the machine that one of the texts names. */
export function infrastructureFault(texts: Iterable<string>): InfrastructureFault | null {
  for (const text of texts)
    for (const [fault, pattern] of faults) if (pattern.test(text.slice(0, 1_000))) return fault;
  return null;
}
