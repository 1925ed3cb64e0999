import { readDemoAddress } from '#server/identity-provider/demo/demo-key.ts';

const addresses = new Map<string, string>();

/** Remembers the address that a server of this test printed for the demo sign-in, if it offers that. */
export function noteDemoAddress(address: string | undefined): void {
  if (address !== undefined) addresses.set(new URL(address).origin, address);
}

/** As `noteDemoAddress`, for a server in a process of its own. */
export async function noteDemoAddressIn(dataDir: string | undefined): Promise<void> {
  if (dataDir !== undefined) noteDemoAddress(await readDemoAddress(dataDir));
}

/** The address with the key, as the server printed it at start. */
export function demoAddressOf(publicUrl: string): string {
  const address = addresses.get(new URL(publicUrl).origin);
  if (address === undefined) throw new Error(`${publicUrl} has printed no address of a demo sign-in`);
  return address;
}

export function demoKeyOf(publicUrl: string): string {
  return new URL(demoAddressOf(publicUrl)).searchParams.get('key') ?? '';
}
