import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { configurationPage } from './configuration/configuration-page.ts';

writeFileSync(path.join(import.meta.dirname, '../docs/configuration.md'), configurationPage());
