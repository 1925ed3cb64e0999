/** Holds the launcher's process ID. The child compares it, because other processes may inherit the variable. */
export const launcherVariable = 'FORGEWATCH_LAUNCHER';

const pollMs = 500;

/**
 * Aborts when the parent process ends and this process must end too: behind the launcher, and in the foreground of an npm
 * script. npm signals only the shell of the script, and dash does not forward signals. A server in the background
 * continues to run.
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

/** Checks the name of the program, because an editor or terminal started by npm passes on the variables too. */
function isForegroundOfNpm({ npm_lifecycle_script: script = '' }) {
  const isInBackground = /(?<![&>])&(?!&)|\b(nohup|setsid|disown)\b/.test(script);
  return /\bforgewatch\b/.test(script) && !isInBackground;
}
