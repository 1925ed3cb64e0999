import { spawnSync } from 'node:child_process';

/** The system's, which hands over to the pinned one; undefined where it is none, or is as new. */
export const olderNode = ['/usr/bin/node', '/usr/local/bin/node'].find((node) => {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return status === 0 && parseInt(stdout.slice(1)) < parseInt(process.versions.node);
});
