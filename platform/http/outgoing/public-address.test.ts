import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInNetworks, isPublicAddress } from './public-address.ts';

const notPublic = {
  'this network': ['0.0.0.0', '0.1.2.3'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local, where clouds keep their credentials': [
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
  ],
  'platforms of clouds, in public ranges': ['168.63.129.16', '161.26.0.10', '166.8.0.1', '166.11.255.255'],
  'platforms of clouds, in other ranges': [
    '169.254.170.2',
    '169.254.169.123',
    '169.254.42.42',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:42::42',
    'fe80::a9fe:a9fe',
    '100.100.100.200',
    '192.0.0.192',
  ],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'protocol assignments and documentation': ['192.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1'],
  'benchmarking networks': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'reserved and broadcast': ['240.0.0.1', '255.255.255.255'],
  'the unspecified address': ['::'],
  'unique local': ['fc00::1', 'fd12:3456::1'],
  'IPv4 in IPv6, mapped': ['::ffff:10.0.0.1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1'],
  'IPv4 in IPv6, compatible': ['::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  'IPv4 in IPv6, translated': ['64:ff9b::127.0.0.1', '64:ff9b::808:808', '64:ff9b:1::1', '::ffff:0:7f00:1'],
  'IPv4 in IPv6, tunnelled': ['2002:7f00:1::', '2002:a00:1::1', '2001:0:1::1'],
  'IPv6 documentation, discard, site-local': ['2001:db8::1', '3fff::1', '100::1', 'fec0::1'],
  'what is not given out': ['4000::1', '8000::1', '5f00::1'],
  'what is no address in its usual spelling': [
    '',
    'localhost',
    '0x7f.1',
    '2130706433',
    '127.1',
    '1.2.3',
    '010.0.0.1',
    '8.8.8.8 ',
    'x',
  ],
};

for (const [what, addresses] of Object.entries(notPublic)) {
  test(`not public: ${what}`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address);
  });
}

test('addresses next to private networks are public', () => {
  const addresses = [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '161.25.255.255',
    '161.27.0.0',
    '166.7.255.255',
    '166.12.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:82b::200e',
  ];
  for (const address of addresses) assert.equal(isPublicAddress(address), true, address);
});

test('a network contains only its own addresses of its IP version', () => {
  const isIn = isInNetworks(['10.0.0.0/8', 'fd00::/8', '192.168.1.7/32']);
  for (const address of ['10.1.2.3', 'fd12::1', '192.168.1.7']) assert.ok(isIn(address), address);
  for (const address of ['11.0.0.1', '192.168.1.8', '::ffff:10.0.0.1', 'fe80::1', '', 'ten']) {
    assert.ok(!isIn(address), address);
  }
  assert.ok(!isInNetworks([])('10.1.2.3'));
});
