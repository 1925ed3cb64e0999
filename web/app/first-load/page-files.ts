import { listedFiles } from '../../api/parts/listed-files.ts';
import type { OpenPage } from './open-page.ts';

/** The files of a page: those of `runs-route` or `rules-page`, of `run-route` for `runs/42`, and of `home-page`. */
export function pageFiles({ page, detail }: OpenPage): string[] {
  const listed = listedFiles();
  const name = detail === undefined ? page : page.replace(/s$/, '');
  return listed.get(`${name}-route`) ?? listed.get(`${name}-page`) ?? [];
}
