import { listedFiles } from '../../api/parts/listed-files.ts';
import type { OpenPage } from './open-page.ts';

/** The files of a page: those of `runs-route`, and of `run-route` for `runs/42`. */
export function pageFiles({ page, detail }: OpenPage): string[] {
  return listedFiles().get(`${detail === undefined ? page : page.replace(/s$/, '')}-route`) ?? [];
}
