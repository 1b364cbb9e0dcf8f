import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../support/service.js';
import { createTenant, type Tenant } from '../support/tenant.js';

const variable = { name: 'temperature', type: 'FLOAT32' };
const nobody = '00000000-0000-7000-8000-000000000000';
const place = { streamId: 1, streamType: 'BIN', varNumber: 1 };

describe('validation of REST input', () => {
  const service = useService();
  let tenant: Tenant;
  let paths: Record<'account' | 'teams' | 'products' | 'device' | 'applications', string>;
  beforeAll(async () => {
    tenant = await createTenant(service);
    const organization = `/organizations/${tenant.id}`;
    paths = {
      account: '/account',
      teams: `${organization}/teams`,
      products: `${organization}/products`,
      device: `${organization}/devices/ab-01`,
      applications: `${organization}/applications`,
    };
  });

  const product = (variables: unknown) => ({ name: 'P', version: '1', variables });
  const text = (length: number) => 'x'.repeat(length);

  it.each([
    [2 ** 31, 'must not be greater than 2147483647'],
    [-(2 ** 31) - 1, 'must not be less than -2147483648'],
  ])('returns the violated bound of a mapping number: %d', async (varNumber, message) => {
    const body = product([{ ...variable, mappings: [{ ...place, varNumber }] }]);
    const answer = await tenant.owner.post<{ errors: unknown }>(paths.products, body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ path: 'variables.0.mappings.0.varNumber', message }]);
  });

  it.each<[what: string, path: keyof typeof paths, body: object, at: string]>([
    ['a missing name', 'teams', {}, 'name'],
    ['an empty name', 'teams', { name: '' }, 'name'],
    ['a blank name', 'teams', { name: ' \t' }, 'name'],
    ['null for a name', 'teams', { name: null }, 'name'],
    ['a name that is too long', 'teams', { name: text(201) }, 'name'],
    ['a number for a name', 'teams', { name: 12 }, 'name'],
    ['NUL in a name', 'teams', { name: 'a\0' }, 'name'],
    ['half a surrogate pair in a name', 'teams', { name: '\ud800' }, 'name'],
    ['a description that is too long', 'teams', { name: 'A', description: text(2001) }, 'description'],
    ['an unknown field', 'teams', { name: 'A', slug: 'a' }, 'slug'],
    [
      '__proto__ as a field',
      'teams',
      Object.fromEntries([
        ['name', 'A'],
        ['__proto__', {}],
      ]),
      '__proto__',
    ],
    ['an invalid e-mail address', 'account', { username: 'abc', email: 'nobody' }, 'email'],
    ['half a surrogate pair in an e-mail address', 'account', { username: 'abc', email: '\ud800' }, 'email'],
    ['a username of one letter', 'account', { username: 'a', email: 'a@b.example' }, 'username'],
    ['text for a boolean', 'applications', { name: 'A', hasDashboard: 'true' }, 'hasDashboard'],
    ['a latitude beyond the pole', 'device', { location: { lat: 90.5, lon: 0 } }, 'location.lat'],
    ['a longitude beyond the date line', 'device', { location: { lat: 0, lon: -180.5 } }, 'location.lon'],
    ['a location without a longitude', 'device', { location: { lat: 1 } }, 'location.lon'],
    ['an object for a list', 'device', { tags: {} }, 'tags'],
    ['a text for a list', 'device', { tags: 'north' }, 'tags'],
    ['null in a list', 'device', { tags: ['a', null] }, 'tags.1'],
    ['a number in a list', 'device', { tags: ['a', 1] }, 'tags.1'],
    ['too many tags', 'device', { tags: Array(51).fill('a') }, 'tags'],
    ['a tag that is too long', 'device', { tags: ['a', text(65)] }, 'tags.1'],
    ['a product without its id', 'device', { product: {} }, 'product.id'],
    ['a product as text', 'device', { product: 'p' }, 'product'],
    ['no variables', 'products', { name: 'P', version: '1' }, 'variables'],
    ['a variable without a type', 'products', product([{ name: 'a' }]), 'variables.0.type'],
    ['an unknown type', 'products', product([variable, { name: 'b', type: 'FLOAT64' }]), 'variables.1.type'],
    ['a variable name twice', 'products', product([variable, variable]), 'variables.1.name'],
    [
      'a mapping without its number',
      'products',
      product([{ ...variable, mappings: [{ streamId: 1, streamType: 'BIN' }] }]),
      'variables.0.mappings.0.varNumber',
    ],
    [
      'a negative stream',
      'products',
      product([{ ...variable, mappings: [{ ...place, streamId: -1 }] }]),
      'variables.0.mappings.0.streamId',
    ],
    [
      'a fraction for a stream',
      'products',
      product([{ ...variable, mappings: [{ ...place, streamId: 1.5 }] }]),
      'variables.0.mappings.0.streamId',
    ],
    [
      'a numeric stream type',
      'products',
      product([{ ...variable, mappings: [{ ...place, streamType: 1 }] }]),
      'variables.0.mappings.0.streamType',
    ],
    [
      'a mapping that occurs twice',
      'products',
      product([
        { ...variable, mappings: [place] },
        { name: 'b', type: 'BOOL', mappings: [place] },
      ]),
      'variables.1.mappings.0',
    ],
  ])('returns 422 for %s', async (_what, path, body, at) => {
    const answer = await tenant.owner.request<{ errors: { path: string }[] }>(
      path === 'account' ? 'PUT' : 'POST',
      paths[path],
      { body },
    );
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((fault) => fault.path)).toEqual([at]);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['page=0', 'page'],
    ['page=99999999999', 'page'],
    ['sort=colour', 'sort'],
    ['q=(', 'q'],
    [`q=${text(257)}`, 'q'],
    ['Limit=1', 'Limit'],
    ['limit[]=1', 'limit[]'],
  ])('returns 422 for the query string %s', async (query, at) => {
    const answer = await tenant.owner.get<{ errors: { path: string }[] }>(`${paths.teams}?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((fault) => fault.path)).toEqual([at]);
  });

  it.each([
    [
      'two authentications of a hook',
      'PUT',
      `/applications/${nobody}/${nobody}/hooks/${nobody}`,
      { url: 'https://a.example/', authentication: { bearer: { value: 'a' }, header: { value: 'b' } } },
      'authentication.bearer',
    ],
    [
      'a reserved header of a hook',
      'PUT',
      `/applications/${nobody}/${nobody}/hooks/${nobody}`,
      { url: 'https://a.example/', authentication: { header: { name: 'Host', value: 'b' } } },
      'authentication.header.name',
    ],
    [
      'a message of Sigfox without a device',
      'POST',
      `/organizations/${nobody}/ingest/sigfox`,
      { data: '00' },
      'device',
    ],
  ])('returns 422 for %s before 404 for what does not exist', async (_what, verb, path, body, at) => {
    const answer = await tenant.owner.request<{ errors: { path: string }[] }>(verb, path, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((fault) => fault.path)).toEqual([at]);
  });

  it('returns 422 for an invalid q beside a productId that no product has', async () => {
    const path = `/organizations/${tenant.id}/devices?productId=x`;
    expect(await tenant.owner.get(path)).toMatchObject({ status: 200, body: [] });
    expect(await tenant.owner.get(`${path}&q=(`)).toMatchObject({ status: 422, body: { errors: [{ path: 'q' }] } });
  });

  it('returns all errors at once, each with its path', async () => {
    const answer = await tenant.owner.post(`${paths.products}?limit=1`, {
      name: '',
      version: 2,
      variables: [
        { name: text(101), type: 'BOOL' },
        { name: 'b', type: 'bool' },
      ],
      colour: 'red',
    });
    const { errors } = answer.body as { errors: { path: string }[] };
    expect(errors.map((fault) => fault.path).sort()).toEqual(
      ['colour', 'limit', 'name', 'variables.0.name', 'variables.1.type', 'version'].sort(),
    );
  });

  it('keeps absent fields and clears null ones in PUT of a device', async () => {
    const made = await tenant.owner.post<{ id: string }>(`/organizations/${tenant.id}/devices/cd-01`, {
      name: 'Pump',
      tags: ['north'],
      location: { lat: 1, lon: 2 },
    });
    const path = `/devices/${tenant.id}/${made.body.id}`;
    const { body: kept } = await tenant.owner.put(path, {});
    expect(kept).toMatchObject({ name: 'Pump', tags: ['north'], location: { lat: 1, lon: 2 } });
    const { body: cleared } = await tenant.owner.put<object>(path, { name: null, tags: null, location: null });
    expect(cleared).toMatchObject({ tags: [], slug: 'cd-01' });
    expect(Object.keys(cleared)).not.toEqual(expect.arrayContaining(['name']));
    expect(Object.keys(cleared)).not.toEqual(expect.arrayContaining(['location']));
  });

  it('accepts null for an optional field of a new object', async () => {
    const { status, body } = await tenant.owner.post<object>(`/organizations/${tenant.id}/devices/ef-01`, {
      name: null,
      product: null,
    });
    expect(status).toBe(200);
    expect(body).not.toHaveProperty('name');
  });

  it('accepts a missing body when all fields are optional, and ignores the body of operations that take none', async () => {
    expect((await tenant.owner.post(`/organizations/${tenant.id}/devices/ef-02`)).status).toBe(200);
    const team = await tenant.owner.post<{ id: string }>(paths.teams, { name: 'A' });
    const { id } = await tenant.member();
    const answer = await tenant.owner.request('PUT', `/teams/${tenant.id}/${team.body.id}/members/${id}`, {
      body: 'not json',
    });
    expect(answer.status).toBe(204);
  });
});
