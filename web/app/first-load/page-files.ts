import { listedFiles } from '../../api/parts/listed-files.ts';
import type { OpenPage } from './open-page.ts';

/** The files of a page: those of `runs-route`, of `run-route` for `runs/42`, and of `home-page`. */
export function pageFiles({ page, detail }: OpenPage): string[] {
  const name =
    page === 'home' ? 'home-page' : `${detail === undefined ? page : page.replace(/s$/, '')}-route`;
  return listedFiles().get(name) ?? [];
}
