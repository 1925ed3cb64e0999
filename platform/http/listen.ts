import type { FastifyInstance } from 'fastify';

/** @throws with the settings to change when it cannot listen there. */
export async function listen(
  app: FastifyInstance,
  address: { host: string; port: number },
  portSetting: 'PORT' | 'METRICS_PORT',
): Promise<void> {
  await app.listen(address).catch((error: NodeJS.ErrnoException) => {
    const place = `${address.host}:${address.port}`;
    const message =
      error.code === 'EADDRINUSE'
        ? `Something listens on ${place} already. Stop it, or set ${portSetting}.`
        : `It is not possible to listen on ${place} (${error.code}). Set ${portSetting.replace('PORT', 'HOST')} to an address of this machine, and ${portSetting} to a port that its user may take.`;
    throw new Error(message, { cause: error });
  });
}
