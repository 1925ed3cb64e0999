/** The files that name the version of the project, and where. */
const places: Record<string, RegExp[]> = {
  'package.json': [/(?<=^ {2}"version": ")[^"]+(?=")/m],
  'package-lock.json': [/(?<=^ {2}"version": ")[^"]+(?=")/m, /(?<=^ {6}"version": ")[^"]+(?=")/m],
  'deploy/helm/Chart.yaml': [/(?<=^version: ).+$/m, /(?<=^appVersion: ).+$/m],
  'docs/guide/install.md': [
    /(?<=sha256sum -c forgewatch-).+(?=\.tgz\.sha256)/,
    /(?<=npm install \.\/forgewatch-).+(?=\.tgz)/,
  ],
};

export const versionFiles: readonly string[] = Object.keys(places);

/** The versions that the file names. */
export function versionsIn(file: string, text: string): string[] {
  return placesIn(file).map((place) => {
    const found = place.exec(text)?.[0];
    if (found === undefined) throw new Error(`${file} has no version at ${place.source}`);
    return found;
  });
}

export function withVersion(file: string, text: string, version: string): string {
  return placesIn(file).reduce((result, place) => result.replace(place, version), text);
}

function placesIn(file: string): RegExp[] {
  return places[file] ?? [];
}
