/** Tells the child that it ends with this process: its id, as others may inherit the variable. */
export const launcherVariable = 'FORGEWATCH_LAUNCHER';

const pollMs = 500;

/**
 * Aborts when the parent process has ended and this process must end with it: behind an older Node that hands over, and
 * in the foreground of an npm script. npm signals only the shell of the script, and dash does not pass signals on.
 * A server that was put in the background has no such parent.
 */
export function watchParent(env = process.env) {
  const end = new AbortController();
  const parent = process.ppid;
  if (env[launcherVariable] === String(parent) || isForegroundOfNpm(env)) {
    const timer = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(timer);
      end.abort();
    }, pollMs).unref();
  }
  return end.signal;
}

/** The script must name this program: others inherit the variables from an editor or a terminal that npm started. */
function isForegroundOfNpm({ npm_lifecycle_script: script = '' }) {
  const isInBackground = /(?<![&>])&(?!&)|\b(nohup|setsid|disown)\b/.test(script);
  return /\bforgewatch\b/.test(script) && !isInBackground;
}
