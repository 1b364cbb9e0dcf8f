import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { Role } from '#entities/enums.js';
import { newId } from '#entities/id.js';
import { type AccountActor, useWorld } from '../support/world.js';
import { documentOf, furnish, ofRestAlone } from './matrix.js';
import { operations, type Things, type Values } from './operations.js';

const world = useWorld();
let own: Things;
let theirs: Things;
let schema: GraphQLSchema;

beforeAll(async () => {
  const furnished = async (owner: AccountActor) => furnish(world, owner, (await world.member(owner, Role.member)).id);
  [own, theirs] = [await furnished(await world.organization()), await furnished(await world.organization())];
  const introspection = await own.owner.graph(getIntrospectionQuery());
  schema = buildClientSchema(introspection.body.data as unknown as IntrospectionQuery);
});

/** Operations on people of the platform: who knows the identifier of one may make it a member. */
const ofPeople = ['Mutation.setOrganizationMember', 'Mutation.removeOrganizationMember'];

/** The things of the other organization, by the names of the arguments that name them. */
const foreign = (): Record<string, string> => ({
  applicationId: theirs.applicationId,
  applicationHookId: theirs.hookId,
  alertRuleId: theirs.alertRuleId,
  deliveryId: theirs.deliveryId,
  deviceId: theirs.deviceId,
  importId: theirs.importId,
  jobId: theirs.jobId,
  memberId: theirs.memberId,
  networkServerId: theirs.networkServerId,
  productId: theirs.productId,
  product: theirs.productId,
  provisioningTokenId: theirs.provisioningTokenId,
  siteId: theirs.siteId,
  parentId: theirs.siteId,
  teamId: theirs.teamId,
  tokenId: theirs.tokenId,
});

const plural = (name: string) => (name === 'products' ? 'productId' : name.replace(/Ids$/, 'Id'));

/** Returns the values once for each thing that they name, with a function that names another thing there. */
const placesOf = (values: Values): { name: string; naming: (id: string) => Values }[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const named = plural(name);
    if (foreign()[named] === undefined) return [];
    const of = (id: string) =>
      Array.isArray(value) ? [id] : typeof value === 'object' && value !== null ? { ...value, id } : id;
    const isNamed =
      typeof value === 'string' || name === 'product' || (Array.isArray(value) && typeof value[0] === 'string');
    return isNamed ? [{ name: named, naming: (id) => ({ ...values, [name]: of(id) }) }] : [];
  });

describe('an operation on a thing of another organization', () => {
  const names = Object.keys(operations).filter(
    (name) => ![...ofRestAlone, ...ofPeople].includes(name) && !name.startsWith('Subscription'),
  );
  it.each(names)('answers as if there were none (%s), also with a faulty body', async (name) => {
    const { values, faulty } = operations[name]!;
    const document = documentOf(schema, name);
    const ask = async (variables: Values) => {
      const { status, body } = await own.owner.graph(document, variables);
      const errors = body.errors?.map(({ message, extensions: { code, errors: faults } }: any) => ({
        message,
        code,
        faults,
      }));
      return { status, data: errors ? null : body.data, errors };
    };
    for (const patch of [{}, ...(faulty?.(own) ?? [])]) {
      for (const { name: place, naming } of placesOf({ ...(await values(own)), ...patch })) {
        const [missing, hidden] = [await ask(naming(newId())), await ask(naming(foreign()[place]!))];
        expect([place, hidden]).toEqual([place, missing]);
      }
    }
  });

  it("gets another answer for a thing of the caller's own organization", async () => {
    const { values, faulty } = operations['Query.previewAlertRule']!;
    const sent = { ...(await values(own)), ...faulty!(own)[0] };
    const { body } = await own.owner.graph(documentOf(schema, 'Query.previewAlertRule'), sent);
    expect(body.errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
  });
});
