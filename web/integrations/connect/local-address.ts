/** Whether only programs on the same machine reach the address, so that a forge elsewhere cannot send to it. */
export function isLocalAddress(address: string): boolean {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.[\d.]+$/.test(host)
  );
}
