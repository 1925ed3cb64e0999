export interface InstalledSearch {
  installation_id?: string | undefined;
  state?: string | undefined;
}

/** Query parameters that the forge adds. */
export function readInstalledSearch({
  installation_id: id,
  state,
}: Record<string, unknown>): InstalledSearch {
  const number = typeof id === 'number' ? String(id) : id;
  return {
    ...(typeof number === 'string' && /^[1-9][0-9]{0,17}$/.test(number) ? { installation_id: number } : {}),
    ...(typeof state === 'string' && state !== '' ? { state } : {}),
  };
}
