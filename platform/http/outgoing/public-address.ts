import ipaddr from 'ipaddr.js';

/** Tells whether an address may be reached; anything that is no address may not. */
export type AddressRule = (address: string) => boolean;

// Whatever lies outside is not given out yet, or wraps an IPv4 address in one of the ways of the past.
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Addresses in public ranges that a cloud answers inside its own network alone. Those of the other clouds are private by
 * range: link-local (169.254.169.254 of most, 169.254.170.2 of Amazon ECS), unique local (fd00:ec2::254 of Amazon,
 * fd20:ce::254 of Google), carrier-grade NAT (100.100.100.200 of Alibaba), protocol assignments (192.0.0.192 of Oracle).
 */
const cloudPlatforms: readonly string[] = [
  // Azure: the agent of the host, which hands out certificates and settings of the machine.
  '168.63.129.16/32',
  // IBM Cloud: its services, and the endpoints of its cloud services.
  '161.26.0.0/16',
  '166.8.0.0/14',
];

/**
 * Whether an address is one of the public internet: neither private, local, reserved, of a cloud's platform, nor
 * a wrapped IPv4 address.
 */
export const isPublicAddress: AddressRule = (address) => {
  const parsed = parse(address);
  if (parsed === undefined || parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 ? !isOfCloudPlatform(address) : parsed.match(globalUnicast);
};

/** Whether an address lies in one of the networks, given as CIDR. */
export function isInNetworks(networks: readonly string[]): AddressRule {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    const parsed = parse(address);
    return ranges.some(([base, bits]) => parsed?.kind() === base.kind() && parsed.match(base, bits));
  };
}

const isOfCloudPlatform = isInNetworks(cloudPlatforms);

/** Only the usual spelling: the resolver and the URL parser give no other. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}
