import pg from 'pg';
import type { Bench } from './types.ts';

/** Manages the databases of a cluster with the owner's URL. */
export function databasesOf(
  clusterUrl: string,
): Pick<Bench, 'createDatabase' | 'findDatabase' | 'renameDatabase'> {
  const urlOf = (name: string) => {
    const url = new URL(clusterUrl);
    url.pathname = `/${name}`;
    return url.href;
  };
  const query = async (text: string, values: string[] = []) => {
    const client = new pg.Client({ connectionString: clusterUrl });
    await client.connect();
    const { rowCount } = await client.query(text, values);
    await client.end();
    return rowCount ?? 0;
  };
  return {
    createDatabase: async (name) => {
      // An interrupted run may have left the database.
      await query(`drop database if exists ${pg.escapeIdentifier(name)}`);
      await query(`create database ${pg.escapeIdentifier(name)}`);
      return urlOf(name);
    },
    findDatabase: async (name) => {
      const count = await query('select from pg_database where datname = $1', [name]);
      return count === 0 ? undefined : urlOf(name);
    },
    renameDatabase: async (url, name) => {
      const old = new URL(url).pathname.slice(1);
      await query(`alter database ${pg.escapeIdentifier(old)} rename to ${pg.escapeIdentifier(name)}`);
      return urlOf(name);
    },
  };
}
