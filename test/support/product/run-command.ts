import { runCommand as runInThisProcess } from '#server/command-line.ts';

/**
 * Runs a `forgewatch` command in this process, one at a time, which takes a tenth of the CPU time of a process of its own. For
 * commands that read no standard input, get no signal and start no service.
 */
export async function runCommand(
  args: string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  const endSignals = (['SIGINT', 'SIGTERM'] as const).map(keepListeners);
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  setVariables(env);
  try {
    const code = await runInThisProcess(args, new AbortController().signal);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    setVariables(before);
    for (const restore of [stdout.end, stderr.end, ...endSignals]) restore();
  }
}

function setVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}

/** Texts are of the command; the test runner writes bytes. */
function capture(stream: NodeJS.WriteStream): { text(): string; end(): void } {
  const { write } = stream;
  let written = '';
  stream.write = ((...args: Parameters<typeof write>) => {
    if (typeof args[0] !== 'string') return write.apply(stream, args);
    written += args[0];
    return true;
  }) as typeof write;
  return { text: () => written, end: () => void (stream.write = write) };
}

/** Returns a function that removes the listeners that were added since. */
function keepListeners(signal: NodeJS.Signals): () => void {
  const kept = process.listeners(signal);
  return () => {
    for (const listener of process.listeners(signal))
      if (!kept.includes(listener)) process.removeListener(signal, listener);
  };
}
