import { stat } from 'node:fs/promises';
import path from 'node:path';
import { buildPackage, packTarball } from './package/build-package.ts';

/** Writes the packaged form to `dist/package`, and as a tarball with its checksum to `dist`, after `npm run build`. */
const dist = path.join(import.meta.dirname, '../dist');
await buildPackage(path.join(dist, 'package'));
const tarball = await packTarball(path.join(dist, 'package'), dist);
process.stdout.write(`${path.relative(process.cwd(), tarball)}  ${(await stat(tarball)).size} bytes\n`);
