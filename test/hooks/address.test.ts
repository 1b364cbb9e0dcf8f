import { describe, expect, it } from '@jest/globals';
import { createAddressGuard, type Resolve } from '#calls/address-guard.js';
import { createOutgoingCaller } from '#calls/caller.js';
import type { CallFault } from '#calls/fault.js';
import { startReceiver } from './receiver.js';

const none = { allow: [], deny: [] };
const refused = (address: string, guard = createAddressGuard(none)) => {
  try {
    guard.check(address);
    return undefined;
  } catch (error) {
    return (error as CallFault).code;
  }
};

describe('address guard', () => {
  it.each([
    ['0.0.0.0', 'this network'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.1', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'metadata of Alibaba'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['168.63.129.16', 'wire server of Azure'],
    ['169.254.0.1', 'link-local'],
    ['169.254.169.254', 'metadata of most clouds'],
    ['169.254.170.2', 'credentials of containers'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.1', 'protocol assignments'],
    ['192.0.0.192', 'metadata of Oracle'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.0.1', 'private'],
    ['192.168.255.255', 'private'],
    ['198.18.0.1', 'benchmarks'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'mapped loopback'],
    ['::ffff:10.0.0.1', 'mapped private'],
    ['::ffff:169.254.169.254', 'mapped metadata'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::1', 'local NAT64'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['3fff::1', 'documentation'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata of AWS'],
    ['fe80::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['unknown', 'no address at all'],
  ])('refuses %s (%s)', (address) => {
    expect(refused(address)).toBe('BLOCKED');
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
  ])('allows the public address %s', (address) => {
    expect(refused(address)).toBeUndefined();
  });

  it('allows the addresses that the operator lists, and no neighbouring ones', () => {
    const guard = createAddressGuard({ allow: ['10.1.0.0/16', '::1'], deny: [] });
    expect(refused('10.1.2.3', guard)).toBeUndefined();
    expect(refused('::1', guard)).toBeUndefined();
    expect(refused('10.2.0.1', guard)).toBe('BLOCKED');
  });

  it("refuses an address on the operator's deny list, even when it is also allowed", () => {
    const guard = createAddressGuard({ allow: ['10.0.0.0/8'], deny: ['10.0.0.0/24', '8.8.8.0/24'] });
    expect(refused('10.0.1.1', guard)).toBeUndefined();
    expect(refused('10.0.0.1', guard)).toBe('BLOCKED');
    expect(refused('8.8.8.8', guard)).toBe('BLOCKED');
  });

  it('allows a metadata address only when the operator lists exactly that address', () => {
    expect(refused('169.254.169.254', createAddressGuard({ allow: ['169.254.0.0/16'], deny: [] }))).toBe('BLOCKED');
    expect(refused('169.254.169.254', createAddressGuard({ allow: ['169.254.169.254/32'], deny: [] }))).toBeUndefined();
  });

  it('refuses a host name when one of its addresses is refused', async () => {
    const guard = createAddressGuard(none, () => Promise.resolve(['1.1.1.1', '10.0.0.1']));
    await expect(guard.resolve('two.example')).rejects.toMatchObject({ code: 'BLOCKED' });
  });
});

describe('webhook call', () => {
  const callTo = async (url: string, resolve?: Resolve) => {
    const caller = createOutgoingCaller({
      guard: createAddressGuard(none, resolve),
      httpsOnly: false,
      timeout: 2000,
      connectTimeout: 1000,
    });
    const { origin, pathname } = new URL(url);
    const { fault } = await caller.call({
      organizationId: '',
      origin,
      path: pathname,
      headers: [],
      body: '',
      allowUnverified: false,
    });
    await caller.close();
    return fault;
  };

  it.each([
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '2130706433',
    '0',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '127.0.0.1.',
    '１２７.０.０.１',
  ])('refuses http://%s, a spelling of a local address', async (host) => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url());
    const fault = await callTo(`http://${host}:${port}/`);
    expect(fault).toMatchObject({ code: 'BLOCKED', ours: true });
    expect(receiver.calls).toHaveLength(0);
    await receiver.close();
  });

  it('refuses localhost by name', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url());
    expect(await callTo(`http://localhost:${port}/`)).toMatchObject({ code: 'BLOCKED' });
    expect(receiver.calls).toHaveLength(0);
    await receiver.close();
  });

  it('checks the addresses that it connects to, even when the name resolved differently before', async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url());
    const answers = [['1.1.1.1'], ['127.0.0.1']];
    let asked = 0;
    const guard = createAddressGuard(none, () => Promise.resolve(answers[asked++ % 2]!));
    // The name has a public address when the hook's address is checked.
    await expect(guard.resolve('rebind.example')).resolves.toEqual(['1.1.1.1']);
    const caller = createOutgoingCaller({ guard, httpsOnly: false, timeout: 2000, connectTimeout: 1000 });
    const { fault } = await caller.call({
      organizationId: '',
      origin: `http://rebind.example:${port}`,
      path: '/',
      headers: [],
      body: '',
      allowUnverified: false,
    });
    // When the service calls the hook, the name resolves to loopback, and the service refuses the call.
    expect(fault).toMatchObject({ code: 'BLOCKED' });
    expect(receiver.calls).toHaveLength(0);
    await caller.close();
    await receiver.close();
  });

  it('fails with DNS for a host name that does not exist', async () => {
    const gone = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    expect(await callTo('http://gone.example/', () => Promise.reject(gone))).toMatchObject({
      code: 'DNS',
      ours: false,
    });
  });

  it('fails with TIMEOUT when the name server does not answer', async () => {
    expect(await callTo('http://slow.example/', () => new Promise(() => undefined))).toMatchObject({ code: 'TIMEOUT' });
  });

  it('fails with BLOCKED over http when only https is allowed', async () => {
    const receiver = await startReceiver();
    const caller = createOutgoingCaller({
      guard: createAddressGuard({ allow: ['127.0.0.1'], deny: [] }),
      httpsOnly: true,
      timeout: 2000,
      connectTimeout: 1000,
    });
    const { origin } = new URL(receiver.url());
    const { fault } = await caller.call({
      organizationId: '',
      origin,
      path: '/',
      headers: [],
      body: '',
      allowUnverified: false,
    });
    expect(fault).toMatchObject({ code: 'BLOCKED' });
    await caller.close();
    await receiver.close();
  });
});
