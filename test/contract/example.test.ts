import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deviceId } from '#rest/openapi/example-id.js';
import { fine, type Receiver, startReceiver } from '../hooks/receiver.js';
import { Actor } from '../support/actor.js';
import type { Answer } from '../support/client.js';
import { type AccountActor, useWorld } from '../support/world.js';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  example?: unknown;
  schema?: { example?: unknown; default?: unknown };
}

interface Operation {
  verb: string;
  path: string;
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { example?: unknown; schema?: { format?: string } }> };
}

/** The request that Swagger UI sends when an operation is executed unchanged. */
interface Sent {
  path: string;
  headers: Record<string, string>;
  body?: string;
}

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Omit<Operation, 'verb' | 'path'>>>;
};
const operations: Operation[] = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ ...operation, verb: verb.toUpperCase(), path })),
);

/**
 * Operations that create objects which other operations name, in a working order, with the path parameter of the
 * created object.
 */
const makers: Readonly<Record<string, string | undefined>> = {
  setOrganizationMember: undefined,
  createTeam: 'teamId',
  createProduct: 'productId',
  registerDevice: 'deviceId',
  createApplication: 'applicationId',
  createSite: 'siteId',
  sendCommand: 'commandId',
  createNetworkServer: 'networkServerId',
  addApplicationDevice: undefined,
  addTeamMember: undefined,
  setTeamApplication: undefined,
  createApplicationHook: 'applicationHookId',
  createAlertRule: 'alertRuleId',
  pingApplicationHook: 'deliveryId',
  ingestRecords: undefined,
  redecodeProduct: 'jobId',
  createDeviceToken: 'tokenId',
  createProvisioningToken: 'provisioningTokenId',
  importDevices: 'importId',
};

/**
 * Returns creating operations first, then those in the document's order, and DELETEs last, inner objects before outer
 * ones.
 */
const inOrder = (): Operation[] => {
  const names = Object.keys(makers);
  const rank = ({ operationId }: Operation) =>
    names.includes(operationId) ? names.indexOf(operationId) : names.length;
  const depth = ({ path }: Operation) => path.split('/').length;
  return [
    ...operations.filter(({ verb }) => verb !== 'DELETE').sort((one, other) => rank(one) - rank(other)),
    ...operations
      .filter(({ verb }) => verb === 'DELETE')
      .toReversed()
      .sort((one, other) => depth(other) - depth(one)),
  ];
};

/** Returns the value that Swagger UI fills into the field of a parameter (`ParameterRow.setDefaultValue`). */
const fieldOf = ({ example, schema }: Parameter): string | undefined => {
  const value = example ?? schema?.example ?? schema?.default;
  if (value === undefined || typeof value === 'string') return value;
  return JSON.stringify(value, null, Array.isArray(value) ? 0 : 2);
};

/** The page asks for a file as a binary body, so there is no example. */
const textBodies = (body: Operation['requestBody']) =>
  Object.entries(body?.content ?? {}).filter(([, { schema }]) => schema?.format !== 'binary');

/** Returns the requests of an operation: one for each media type of its body, since the page offers a choice. */
const requestsOf = ({ path, parameters = [], requestBody }: Operation): Sent[] => {
  const filled = (place: Parameter['in']) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => [parameter.name, fieldOf(parameter)] as const)
      .filter((pair): pair is [string, string] => pair[1] !== undefined);
  const query = new URLSearchParams(filled('query')).toString();
  const values = new Map(filled('path'));
  const place = path.replace(/\{(\w+)\}/g, (braced, name: string) => {
    const value = values.get(name);
    return value === undefined ? braced : encodeURIComponent(value);
  });
  const sent = { path: query === '' ? place : `${place}?${query}`, headers: Object.fromEntries(filled('header')) };
  if (requestBody === undefined) return [sent];
  return textBodies(requestBody).map(([type, { example }]) => ({
    ...sent,
    headers: { ...sent.headers, 'content-type': type },
    body: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
  }));
};

describe('examples of docs/openapi.json', () => {
  const world = useWorld();
  let organization: AccountActor;
  let receiver: Receiver;
  beforeAll(async () => {
    organization = await world.organization();
    receiver = await startReceiver(fine);
  });
  afterAll(() => receiver.close());

  /**
   * Returns the caller and the path of an operation. A device registers itself with the provisioning token, and with a
   * serial that is not registered yet.
   */
  const asSent = (operationId: string, path: string, answers: ReadonlyMap<string, Answer>) => {
    if (operationId !== 'provisionDevice') return { caller: organization, target: path };
    const { token } = answers.get('createProvisioningToken')!.body as { token: string };
    return { caller: new Actor(world.url, token), target: `${path}-2` };
  };

  it('covers every path parameter and every body', () => {
    const sent = operations.flatMap((operation) => requestsOf(operation).map(({ path }) => path));
    expect(sent.filter((path) => path.includes('{'))).toEqual([]);
    const bodies = operations.flatMap(({ requestBody }) => textBodies(requestBody));
    expect(bodies.filter(([, { example }]) => example === undefined)).toEqual([]);
  });

  it('succeeds for every operation when Swagger UI sends it unchanged', async () => {
    /** Maps examples to the values that this test has created in their place. */
    const real = new Map<string, string>([['https://receiver.example/records', receiver.url('/records')]]);
    const replace = (name: string, value: string) => {
      const examples = operations.flatMap(({ parameters = [] }) => parameters.filter((each) => each.name === name));
      real.set(String(examples.find(({ example }) => example !== undefined)!.example), value);
    };
    const actual = (text: string) => [...real].reduce((so, [example, value]) => so.replaceAll(example, value), text);
    replace('organizationId', organization.id);
    replace('memberId', await world.user());
    const answers = new Map<string, Answer>();
    const refused: unknown[] = [];
    for (const operation of inOrder()) {
      const { operationId, verb } = operation;
      for (const { path, headers, body } of requestsOf(operation)) {
        const text = body === undefined ? {} : { body: actual(body) };
        const { caller, target } = asSent(operationId, actual(path), answers);
        const answer = await caller.request(verb, target, { headers, ...text });
        if (!`${answer.status}`.startsWith('2')) refused.push([operationId, actual(path), answer.status, answer.body]);
        answers.set(operationId, answer);
      }
      if (operationId === 'provisionDevice') {
        // Deletes the device, which would keep the product in use.
        const { apiToken } = answers.get(operationId)!.body as { apiToken: { deviceId: string } };
        await organization.delete(`/devices/${organization.id}/${apiToken.deviceId}`);
      }
      if (operationId === 'moveDevices') {
        // A site with a device in it is not deleted.
        const at = `/organizations/${organization.id}/device-sites`;
        await organization.put(at, { siteId: null, deviceIds: [actual(deviceId)] });
      }
      const made = makers[operationId];
      if (made === undefined) continue;
      type Answered = { id: string; apiToken?: { id: string }; provisioningToken?: { id: string } };
      const answered = answers.get(operationId)!.body as Answered;
      replace(made, (answered.apiToken ?? answered.provisioningToken ?? answered).id);
      // An import can be applied after its dry run has ended.
      const at = `/organizations/${organization.id}/imports/${answered.id}`;
      if (made === 'importId') while ((await organization.get<{ state: string }>(at)).body.state === 'checking');
    }
    expect(refused).toEqual([]);
    expect(answers.size).toBe(operations.length);
    // The example records were accepted, found by the example searches and sent to the hook.
    expect(answers.get('ingestRecords')!.body).toMatchObject({ rejected: 0 });
    const found = { responses: [{ status: 200, hits: { hits: [{}] } }] };
    expect(answers.get('search')!.body).toMatchObject(found);
    expect(answers.get('searchByPost')!.body).toMatchObject(found);
    expect(answers.get('decodeFrame')!.body).toMatchObject({ data: { temperature: 21.5 } });
    const calls = await receiver.received(1);
    expect(calls[0]!.headers.authorization).toBe('Bearer 3c9d');
  });
});
