import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Tells whether an address may be reached; anything that is no address may not. */
export type AddressRule = (address: string) => boolean;

// Addresses outside are unassigned or embed an IPv4 address.
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Addresses in public ranges that reach internal services of a cloud. Other clouds use private ranges: link-local
 * (169.254.169.254 for most, 169.254.170.2 for Amazon ECS), unique local (fd00:ec2::254 for Amazon, fd20:ce::254 for
 * Google), carrier-grade NAT (100.100.100.200 for Alibaba), protocol assignments (192.0.0.192 for Oracle).
 */
const cloudNetworks: readonly string[] = [
  // Azure: host agent, which provides certificates and settings of the machine.
  '168.63.129.16/32',
  // IBM Cloud: internal services and service endpoints.
  '161.26.0.0/16',
  '166.8.0.0/14',
];

/** True for addresses of the public internet: not private, local, reserved, internal to a cloud or an embedded IPv4 address. */
export const isPublicAddress: AddressRule = (address) => {
  const parsed = parse(address);
  if (parsed === undefined || parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 ? !isCloudInternal(address) : parsed.match(globalUnicast);
};

/** Whether an address is in one of the networks, given in CIDR notation. */
export function isInNetworks(networks: readonly string[]): AddressRule {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    const parsed = parse(address);
    return ranges.some(([base, bits]) => parsed?.kind() === base.kind() && parsed.match(base, bits));
  };
}

const isCloudInternal = isInNetworks(cloudNetworks);

/** Accepts only the canonical notation, which the resolver and the URL parser return. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // The library throws and catches an error for each IPv6 address that it tries to read as IPv4.
  if (isIPv4(address)) return ipaddr.IPv4.parse(address);
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}
