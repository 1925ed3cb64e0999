import path from 'node:path';
import { buildPackage } from './package/build-package.ts';

/** Writes the packaged form to `dist/package`, after `npm run build`. */
await buildPackage(path.join(import.meta.dirname, '../dist/package'));
