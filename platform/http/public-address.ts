import ipaddr from 'ipaddr.js';

/** Tells whether an address may be reached; anything that is no address may not. */
export type AddressRule = (address: string) => boolean;

// Whatever lies outside is not given out yet, or wraps an IPv4 address in one of the ways of the past.
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Whether an address is one of the public internet: neither private, local, reserved, nor a wrapped IPv4 address. */
export const isPublicAddress: AddressRule = (address) => {
  const parsed = parse(address);
  if (parsed === undefined || parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
};

/** Whether an address lies in one of the networks, given as CIDR. */
export function isInNetworks(networks: readonly string[]): AddressRule {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    const parsed = parse(address);
    return ranges.some(([base, bits]) => parsed?.kind() === base.kind() && parsed.match(base, bits));
  };
}

/** Only the usual spelling: the resolver and the URL parser give no other. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}
