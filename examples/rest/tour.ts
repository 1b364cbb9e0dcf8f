import type { Client } from './client.js';

/** Calls every operation once or more: makes one thing of each kind, reads, changes and uses it, and deletes it again. */
export async function tour(client: Client, serial: string, receiver: string): Promise<string[]> {
  const told: string[] = [];
  const profile = await client.account();
  told.push(`${profile.username} is ${(await client.updateAccount(profile)).type}`);
  await client.updateOrganization(await client.organization());

  const variables = [{ name: 'temperature', type: 'FLOAT32' as const, unit: '°C' }];
  const product = await client.createProduct({ name: 'Thermometer', version: '1', variables });
  await client.updateProduct(product.id, { ...(await client.product(product.id)), version: '2' });
  told.push(`${(await client.products({ q: '^thermo' })).length} of its products is a thermometer`);
  await client.publicProducts({ limit: 1 });

  const { id, organizationId } = product;
  const device = await client.registerDevice(serial, {
    name: 'Roof',
    tags: ['north'],
    product: { id, organizationId },
  });
  await client.updateDevice(device.id, { ...(await client.device(device.id)), location: { lat: 59.9, lon: 17.6 } });
  const found = await client.devices({ productId: product.id, hasProduct: true, sort: '-name' });
  told.push(`the device ${found[0]?.serial} is of ${found[0]?.product?.id === product.id ? 'it' : 'none'}`);

  const application = await client.createApplication({ name: 'Weather', hasDashboard: false });
  await client.addApplicationDevice(application.id, device.id);
  const changed = { ...(await client.application(application.id)), hasDashboard: true };
  await client.updateApplication(application.id, changed);
  told.push(`${(await client.applicationDevices(application.id)).length} device is linked`);
  await client.applications({ ids: [application.id] });
  const query = { products: [product.id], size: 1, query: { match_all: {} } };
  const { responses } = await client.search(application.id, { ts: { gte: 0, lte: 4e9 }, queries: [query] });
  told.push(`${responses[0]?.hits?.total.value} records are found`);

  await tryTeam(client, application.id, told);
  await tryHook(client, application.id, receiver, told);

  await client.removeApplicationDevice(application.id, device.id);
  await client.deleteApplication(application.id);
  await client.deleteDevice(device.id);
  await client.deleteProduct(product.id);
  return told;
}

async function tryTeam(client: Client, applicationId: string, told: string[]): Promise<void> {
  const members = new Set((await client.members({ limit: 1000 })).map(({ id }) => id));
  const user = (await client.accounts({ limit: 1000 })).find(({ id }) => !members.has(id));
  if (user === undefined) throw new Error('There is no user who is no member yet: ddp user create makes one.');
  await client.setMember(user.id, { role: 'member' });
  const team = await client.createTeam({ name: 'North' });
  await client.updateTeam(team.id, { ...(await client.team(team.id)), description: 'Looks after the north' });
  await client.addTeamMember(team.id, user.id);
  await client.setTeamApplication(team.id, applicationId, { permission: 'read' });
  const [of, sees] = [await client.teamMembers(team.id), await client.teamApplications(team.id)];
  told.push(
    `${of.length} member of ${(await client.teams({ q: '^north$' })).length} team sees ${sees.length} application`,
  );
  await client.removeTeamApplication(team.id, applicationId);
  await client.removeTeamMember(team.id, user.id);
  await client.deleteTeam(team.id);
  await client.removeMember(user.id);
}

async function tryHook(client: Client, applicationId: string, url: string, told: string[]): Promise<void> {
  const authentication = { basic: { user: 'u', pass: 'p' }, header: { name: 'X-Key', value: 'k' } };
  const hook = await client.createHook(applicationId, { url, authentication });
  await client.updateHook(applicationId, hook.id, { ...(await client.hook(applicationId, hook.id)), disabled: true });
  const { id, successful } = await client.pingHook(applicationId, hook.id);
  const listed = await client.deliveries(applicationId, hook.id);
  told.push(
    `the ping ${listed[0]?.id === id ? 'is listed' : 'is missing'}, ${successful ? 'answered' : 'not answered'}`,
  );
  told.push(`${(await client.hooks(applicationId)).length} hook is there`);
  await client.deleteHook(applicationId, hook.id);
}
