import createClient from 'openapi-fetch';
import type { paths } from './api.js';

/** Creates, changes and deletes a team with the generated client; returns what it saw. */
export async function lifeOfATeam(baseUrl: string, token: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
  const { data: account } = await client.GET('/account');
  const organizationId = account!.id;
  const inOrganization = { params: { path: { organizationId } } };

  const { data: made } = await client.POST('/organizations/{organizationId}/teams', {
    ...inOrganization,
    body: { name: 'Field Ops', description: 'Those who visit the pumps.' },
  });
  const ofTeam = { params: { path: { organizationId, teamId: made!.id } } };
  const { data: application } = await client.POST('/organizations/{organizationId}/applications', {
    ...inOrganization,
    body: { name: 'Pumps' },
  });
  const ofGrant = { params: { path: { ...ofTeam.params.path, applicationId: application!.id } } };
  await client.PUT('/teams/{organizationId}/{teamId}/applications/{applicationId}', {
    ...ofGrant,
    body: { permission: 'read' },
  });
  const { data: granted } = await client.GET('/teams/{organizationId}/{teamId}/applications', ofTeam);
  const { data: renamed } = await client.PUT('/teams/{organizationId}/{teamId}', {
    ...ofTeam,
    body: { name: 'Depot' },
  });
  const { data: listed } = await client.GET('/organizations/{organizationId}/teams', {
    params: { path: { organizationId }, query: { limit: 5, sort: 'name' } },
  });
  const { error: refused } = await client.POST('/organizations/{organizationId}/teams', {
    ...inOrganization,
    body: { name: '' },
  });
  const { response: deleted } = await client.DELETE('/teams/{organizationId}/{teamId}', ofTeam);
  const { error: gone } = await client.GET('/teams/{organizationId}/{teamId}', ofTeam);
  return {
    granted: granted!.map(({ name }) => name),
    slug: renamed!.slug,
    description: renamed!.description,
    listed: listed!.map(({ name }) => name),
    faults: refused!.errors?.map(({ path }) => path),
    deleted: deleted.status,
    gone: gone!.code,
  };
}
