import type { Progress } from '#server/backup/write-backup.ts';

/** The longest silence. */
const reportEveryMs = 5_000;

/** Reports on standard error until it is called. */
export function reportProgress(verb: string, progress: Progress): () => void {
  const timer = setInterval(() => {
    const { table, tables, bytes } = progress;
    const place = table === '' ? verb : `${verb} ${table}`;
    process.stderr.write(`${place}: ${tables} tables and ${Math.round(bytes / 1e6)} MB done\n`);
  }, reportEveryMs);
  return () => clearInterval(timer);
}

/** Aborts when the process is asked to end, so that a command removes what is not complete. */
export function endingSignal(): AbortSignal {
  const end = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'])
    process.once(name, () => end.abort(new Error(`Ended by ${name}. Nothing was kept.`)));
  return end.signal;
}
