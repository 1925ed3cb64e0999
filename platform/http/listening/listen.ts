import type { FastifyInstance } from 'fastify';

/** @throws Error that names the settings to change when the address cannot be used. */
export async function listen(
  app: FastifyInstance,
  address: { host: string; port: number },
  portSetting: 'PORT' | 'METRICS_PORT',
  /** Where this process listens under the other setting. */
  otherPort?: number,
): Promise<void> {
  await app.listen(address).catch((error: NodeJS.ErrnoException) => {
    const place = `${address.host}:${address.port}`;
    const message =
      error.code === 'EADDRINUSE' && otherPort === address.port
        ? `PORT and METRICS_PORT are both ${address.port}. Set one of them to another port.`
        : error.code === 'EADDRINUSE'
          ? `Another process already listens on ${place}. Stop it, or set ${portSetting}.`
          : `Cannot listen on ${place} (${error.code}). Set ${portSetting.replace('PORT', 'HOST')} to an address of this machine, and ${portSetting} to a port that this account may use.`;
    throw new Error(message, { cause: error });
  });
}
